// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "verify/documents.h"
#include "verify/json.h"
#include "verify/run.h"

namespace ethos::verify {

struct EffectiveLimit {
  std::string name;
  std::string value;
  std::string enforced_by;
};

// What one run could do, tried and used, from its records alone (verdict.md V-6). Path text is
// `base:plain path`; beyond it every run reads and executes the base runtime (declaration.md).
struct Effective {
  std::vector<std::string> read;   // what is granted for writing can be read too
  std::vector<std::string> write;
  std::vector<std::string> may_delete;  // of these: where files of before may be deleted
  std::vector<std::string> exec;   // `memory` and `scratch`: code that lies in no file, or in /tmp
  std::int64_t hidden = 0;
  std::uint64_t not_hidden = 0;  // places that matched at its end and had no mask
  std::vector<std::string> hide_patterns;
  std::string network;
  std::string git;
  std::vector<std::string> env;
  std::vector<EffectiveLimit> limits;
  std::vector<std::string> weaker;   // `memory_bytes by rlimit`
  std::vector<std::string> sources;
  std::string observe;               // off, writes, all: which refusals are recorded at all
  std::uint64_t denials = 0;
  std::vector<std::string> tried;    // up to 20
  std::vector<std::string> limits_hit;
  bool refused = false;
  std::string origin;
  std::string ended_by;
  std::int64_t status = -1;          // -1: no end
};

Effective effective_of(const RunEvidence& run, DocumentReader& reader);

Value effective_json(const Effective& effective);
// The same in sentences, one a line.
std::vector<std::string> effective_words(const Effective& effective);

// `workspace:src/a`, or `host:(withheld)` when the path is committed and not disclosed.
std::string path_text(const Value& path, DocumentReader& reader);

}  // namespace ethos::verify
