// SPDX-License-Identifier: Apache-2.0
// What two validators of other makers say of logs: ajv by the official schema, and jsonschema by
// the copy that GitHub's upload action has, with its rule that an odd URI is a warning only.
//
//   node schema_judge.js SHARED_SARIF_FOLDER <list-of-files >verdicts
//
// Reads one path a line; writes one JSON object a line: {"file", "ajv", "action"}.
'use strict';
const fs = require('fs');
const path = require('path');

const shared = process.argv[2];
const modules = process.env.ETHOS_NODE_MODULES;
const read = (name) => JSON.parse(fs.readFileSync(path.join(shared, name), 'utf8'));

const Ajv = require(path.join(modules, 'ajv-draft-04'));
const ajv = new Ajv({allErrors: false, strict: false});
require(path.join(modules, 'ajv-formats'))(ajv);
const official = ajv.compile(read('sarif-schema-2.1.0.json'));

const {Validator} = require(path.join(modules, 'jsonschema'));
const copy = read('sarif-schema-2.1.0.codeql-action.json');
const validator = new Validator();
const isOddUri = (error) => error.name === 'format' && ['uri', 'uri-reference'].includes(error.argument);
const takes = (log) => !validator.validate(log, copy).errors.some((error) => !isOddUri(error));

for (const file of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const text = fs.readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  const log = JSON.parse(text);
  console.log(JSON.stringify({file, ajv: official(log), action: takes(log)}));
}
