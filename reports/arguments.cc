// SPDX-License-Identifier: Apache-2.0
#include "reports/arguments.h"

#include <algorithm>
#include <cstdint>

#include "ledger/base/base64.h"
#include "ledger/base/bytes.h"
#include "reports/disclosure_file.h"
#include "reports/sha256.h"
#include "reports/text.h"

namespace ethos::reports {
namespace {

constexpr std::size_t kMaxCommand = 2000;

// commitment.md C-2.
Hash commit(std::string_view salt, std::string_view bytes) {
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i)
    length[i] = static_cast<char>((std::uint64_t{bytes.size()} >> (56U - 8U * i)) & 0xffU);
  return Sha256()
      .add(std::string_view("ethos/commit/1\0", 15))
      .add(salt)
      .add(length)
      .add(bytes)
      .finish();
}

bool is_plain_word(std::string_view word) {
  constexpr std::string_view kPlain = "%+,-./:=@_";
  return !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlain.find(c) != std::string_view::npos;
  });
}

std::string quoted_word(std::string_view word) {
  if (is_plain_word(word)) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

base::Result<void> read(const Request& request, const std::vector<std::string>& keys,
                        const DisclosureSink& sink) {
  return request.is_bundle ? read_bundle_disclosures(request.ledger, keys, sink)
                           : read_ledger_disclosures(request.ledger, keys, sink);
}

}  // namespace

std::string command_text(std::string_view argv) {
  std::string out;
  while (!argv.empty()) {
    const auto end = argv.find('\0');
    if (!out.empty()) out += ' ';
    out += quoted_word(argv.substr(0, end));
    if (out.size() > kMaxCommand) break;
    argv.remove_prefix(end == std::string_view::npos ? argv.size() : end + 1);
  }
  return shortened(visible(out), kMaxCommand);
}

base::Result<std::string> ArgumentReader::open(const std::string& commitment) {
  Model one;
  one.runs.emplace_back().argv = commitment;
  if (auto opened = open_all(one); !opened) return base::Unexpected(std::move(opened).error());
  return one.text(one.runs[0].command);
}

base::Result<void> ArgumentReader::open_all(Model& model) {
  std::vector<std::string> keys;
  struct Wanted {
    std::size_t run = 0;
    std::string_view kind;
  };
  std::vector<Wanted> wanted;
  const auto want = [&](std::size_t run, std::string_view kind, const std::string& commitment) {
    const auto raw = base::decode_base64(commitment);
    if (!raw || raw->size() != std::tuple_size_v<Hash>) return;
    keys.emplace_back(base::as_text(*raw));
    wanted.push_back({run, kind});
  };
  for (std::size_t i = 0; i < model.runs.size(); ++i) {
    want(i, "argv", model.runs[i].argv);
    want(i, "source", model.runs[i].declaration);
  }
  bool is_wrong = false;
  auto done = read(request_, keys, [&](std::size_t index, const Disclosed& value) {
    const Hash hash = commit(value.salt, value.bytes);
    const std::string_view made(reinterpret_cast<const char*>(hash.data()), hash.size());
    if (value.kind != wanted[index].kind || made != keys[index]) {
      is_wrong = true;
      return;
    }
    Run& run = model.runs[wanted[index].run];
    if (value.kind == "argv") {
      run.command = model.names.id(command_text(value.bytes), NameRole::arguments);
    } else {
      run.declaration_sha256 = model.names.id("sha256:" + hex(Sha256().add(value.bytes).finish()),
                                              NameRole::declaration);
    }
  });
  if (!done) return done;
  if (is_wrong)
    return base::fail(base::Errc::mismatch,
                      "a command line or declaration is not the one its record commits to");
  return {};
}

}  // namespace ethos::reports
