// SPDX-License-Identifier: Apache-2.0
// Changes real files at random and compares what ajv says of them, by the official schema, with
// what ethos-sarif validate says.
//
//   node validate_ajv_test.js ETHOS_SARIF SHARED_SARIF_FOLDER DATA_FOLDER [COUNT] [SEED]
//
// ETHOS_NODE_MODULES names a node_modules folder with ajv 8, ajv-draft-04 and ajv-formats 3.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const {spawnSync} = require('child_process');

const [program, shared, data, count = '300', seedText = '1'] = process.argv.slice(2);
const modules = process.env.ETHOS_NODE_MODULES;
if (!modules || !fs.existsSync(path.join(modules, 'ajv-draft-04'))) {
  console.log('skipped: ETHOS_NODE_MODULES names no folder with ajv-draft-04');
  process.exit(0);
}
const schemaPath = path.join(shared, 'sarif-schema-2.1.0.json');
if (!fs.existsSync(schemaPath)) {
  console.log('skipped: shared data not present');
  process.exit(0);
}
const Ajv = require(path.join(modules, 'ajv-draft-04'));
const addFormats = require(path.join(modules, 'ajv-formats'));
const schema = JSON.parse(fs.readFileSync(schemaPath, 'utf8'));
const ajv = new Ajv({allErrors: true, strict: false});
addFormats(ajv);
const check = ajv.compile(schema);

let seed = Number(seedText);
function random(below) {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return (seed >>> 8) % below;
}

function places(value, list = []) {
  if (value && typeof value === 'object') {
    for (const key of Object.keys(value)) {
      list.push([value, key]);
      places(value[key], list);
    }
  }
  return list;
}

const names = [...new Set(Object.values(schema.definitions)
  .flatMap((definition) => Object.keys(definition.properties || {})))];
const values = [
  null, true, 0, 1, -1, -2, 1.5, 100.5, 1e300, '', 'x', 'a b', 'http://x', 'error', 'none', 'fail',
  '2024-01-01T00:00:00Z', '11111111-1111-4111-8111-111111111111', [], {}, [1, 1], ['a', 'a'], [{}],
  [{}, {}], {a: 1}, {text: 'x'}, {id: 'x'}, {startLine: 1}, {index: 0}, {uri: 'a'}, [{text: 'x'}],
  [null]];
const tails = ['', '#', ' ', '%', 'Z', '\u00e9', '\\'];

function mutate(log) {
  const all = places(log);
  const [parent, key] = all[random(all.length)];
  const [other, otherKey] = all[random(all.length)];
  const isArray = Array.isArray(parent);
  switch (random(7)) {
    case 0:
      if (isArray) parent.splice(Number(key), 1);
      else delete parent[key];
      break;
    case 1:
      parent[key] = structuredClone(values[random(values.length)]);
      break;
    case 2:
      if (isArray) parent.push(structuredClone(parent[key]));
      else parent[names[random(names.length)]] = structuredClone(values[random(values.length)]);
      break;
    case 3:
      parent[key] = structuredClone(other[otherKey]);
      break;
    case 4:
      if (isArray) parent.push(structuredClone(other[otherKey]));
      else if (!Array.isArray(other)) parent[otherKey] = structuredClone(other[otherKey]);
      break;
    case 5:
      if (typeof parent[key] === 'string') parent[key] += tails[random(tails.length)];
      else if (typeof parent[key] === 'number') parent[key] = -parent[key] - 1;
      break;
    default:
      if (!isArray) {
        const value = parent[key];
        delete parent[key];
        parent[names[random(names.length)]] = value;
      }
  }
}

const corpus = path.join(shared, 'corpus');
const texts = fs.readdirSync(corpus)
  .filter((name) => name.endsWith('.sarif') && !name.startsWith('sarif-1.0'))
  .map((name) => path.join(corpus, name))
  .concat([path.join(data, 'good.sarif')])
  .filter((name) => fs.statSync(name).size < 60000)
  .map((name) => fs.readFileSync(name, 'utf8').replace(/^\ufeff/, ''));

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ethos-ajv-'));
let valid = 0;
let differences = 0;
try {
  const files = [];
  const verdicts = [];
  for (let i = 0; i < Number(count); ++i) {
    const log = JSON.parse(texts[random(texts.length)]);
    for (let n = random(3); n > 0; --n) mutate(log);
    const text = JSON.stringify(log);
    const file = path.join(folder, i + '.sarif');
    fs.writeFileSync(file, text);
    files.push(file);
    verdicts.push(check(JSON.parse(text)));
    if (verdicts[i]) ++valid;
  }
  const run = spawnSync(program, ['validate', '--json', '--level', 'error', '--max-findings', '1']
    .concat(files), {maxBuffer: 1 << 30});
  const reports = JSON.parse(run.stdout).files;
  reports.forEach((report, i) => {
    if (report.schema_valid === verdicts[i]) return;
    if (++differences <= 5) {
      console.log('ajv says', verdicts[i], 'of', fs.readFileSync(files[i], 'utf8').slice(0, 2000));
    }
  });
} finally {
  fs.rmSync(folder, {recursive: true});
}
console.log(count + ' files, ' + valid + ' valid, ' + differences + ' judged differently');
process.exit(differences === 0 && valid > 0 ? 0 : 1);
