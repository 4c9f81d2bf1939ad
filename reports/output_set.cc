// SPDX-License-Identifier: Apache-2.0
#include "reports/output_set.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <future>
#include <system_error>
#include <thread>

#include "ledger/base/bytes.h"
#include "reports/json_tape.h"

namespace ethos::reports {

base::Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& directory,
                                                             const std::string& name) {
  auto file = base::PendingFile::create(directory + "/" + name, {});
  if (!file) return base::Unexpected(std::move(file).error());
  return std::unique_ptr<OutputFile>(new OutputFile(
      name, std::move(*file)));  // NOLINT(cppcoreguidelines-owning-memory): private constructor
}

void OutputFile::write(std::string_view bytes) {
  hasher_.add(bytes);
  size_ += bytes.size();
  buffer_ += bytes;
  if (buffer_.size() > 262144) flush();
}

void OutputFile::flush() {
  if (!error_) {
    if (auto written = file_.write(base::as_bytes(buffer_)); !written)
      error_ = std::move(written).error();
  }
  buffer_.clear();
}

base::Result<void> OutputFile::finish() {
  flush();
  digest_ = hex(hasher_.finish());
  if (error_) return base::Unexpected(*error_);
  return {};
}

namespace {

constexpr std::size_t kMaxManifest = 1048576;
constexpr std::size_t kMaxWorkers = 4;

// The manifest of the report that lies in the directory, if one does.
struct Earlier {
  std::string text;  // what the tape points into
  JsonTape tape;

  bool read(const std::string& directory) {
    auto bytes = base::read_file(directory + "/manifest.json", kMaxManifest);
    if (!bytes) return false;
    text = std::move(*bytes);
    return tape.parse(text) && tape.root().is_object();
  }
};

}  // namespace

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 && name.find('/') == std::string::npos && name != "." &&
         name != "..";
}

base::Result<void> check_directory(const std::string& directory, std::string_view format) {
  Earlier earlier;
  if (directory.empty() || !earlier.read(directory)) return {};
  const std::string_view there = earlier.tape.root()["format"].text_or("");
  if (there == format) return {};
  const std::string what = there == kFleetManifest    ? "holds a report of a fleet"
                           : there == kReportManifest ? "holds a report of one ledger"
                                                      : "has a manifest.json of something else";
  return base::fail(base::Errc::exists, directory + ": " + what + "; choose another directory");
}

base::Result<OutputSet> OutputSet::open(const std::string& directory, std::string_view format) {
  if (::mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST)
    return base::fail_errno(directory, errno);
  if (auto free = check_directory(directory, format); !free)
    return base::Unexpected(std::move(free).error());
  OutputSet out(directory);
  Earlier earlier;
  if (!earlier.read(directory)) return out;
  const JsonValue files = earlier.tape.root()["files"];
  for (JsonValue one = files.first(); one.exists(); one = files.after(one)) {
    std::string name(one["name"].text_or(""));
    // Whoever wrote that manifest must not choose which other files go.
    const bool is_of_report =
        name.starts_with("report.") || name.starts_with("fleet.") || name.ends_with(".csv");
    if (is_plain_name(name) && is_of_report) out.earlier_.push_back(std::move(name));
  }
  // Signs the manifest, so the manifest does not name it.
  if (format == kReportManifest) out.earlier_.emplace_back("report.intoto.jsonl");
  return out;
}

std::vector<WrittenFile> OutputSet::written() const {
  std::vector<WrittenFile> out;
  for (const auto& file : files_) out.push_back({file->name(), file->size(), file->digest()});
  return out;
}

base::Result<void> OutputSet::add(const std::string& name,
                                  const std::function<void(Sink&)>& writer) {
  auto file = OutputFile::create(directory_, name);
  if (!file) return base::Unexpected(std::move(file).error());
  writer(**file);
  if (auto finished = (*file)->finish(); !finished) return finished;
  files_.push_back(std::move(*file));
  return {};
}

base::Result<void> OutputSet::add_all(const std::vector<Output>& outputs) {
  // Each worker takes the next one that nobody has; the result does not depend on who took which.
  std::vector<std::unique_ptr<OutputFile>> made(outputs.size());
  std::vector<std::optional<base::Error>> errors(outputs.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t at = next++; at < outputs.size(); at = next++) {
      auto file = OutputFile::create(directory_, outputs[at].name);
      if (!file) {
        errors[at] = std::move(file).error();
        continue;
      }
      outputs[at].write(**file);
      if (auto finished = (*file)->finish(); !finished) errors[at] = std::move(finished).error();
      made[at] = std::move(*file);
    }
  };
  const std::size_t helpers = std::min<std::size_t>(
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMaxWorkers) - 1,
      outputs.empty() ? 0 : outputs.size() - 1);
  std::vector<std::future<void>> workers;
  try {
    for (std::size_t i = 0; i < helpers; ++i)
      workers.push_back(std::async(std::launch::async, work));
  } catch (const std::system_error&) {
    // No thread to be had: then those that are there do it.
  }
  work();
  for (std::future<void>& worker : workers) worker.get();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (errors[i]) return base::Unexpected(std::move(*errors[i]));
    files_.push_back(std::move(made[i]));
  }
  return {};
}

base::Result<void> OutputSet::commit() {
  for (const auto& file : files_) {
    if (auto committed = file->commit(); !committed) return committed;
  }
  for (const std::string& name : earlier_) {
    const bool is_ours = std::any_of(files_.begin(), files_.end(),
                                     [&](const auto& file) { return file->name() == name; });
    if (!is_ours && ::unlink((directory_ + "/" + name).c_str()) != 0 && errno != ENOENT)
      return base::fail_errno(directory_ + "/" + name, errno);
  }
  return {};
}

}  // namespace ethos::reports
