// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ledger/base/file_io.h"
#include "ledger/base/result.h"
#include "reports/sha256.h"
#include "reports/sink.h"

namespace ethos::reports {

// One output on its way: hashed and counted while it is written beside its final name.
class OutputFile : public Sink {
 public:
  static base::Result<std::unique_ptr<OutputFile>> create(const std::string& directory,
                                                          const std::string& name);
  void write(std::string_view bytes) override;
  // After the last write: the first error, if there was one.
  base::Result<void> finish();
  base::Result<void> commit() { return file_.commit(); }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::string& digest() const {
    return digest_;
  }  // after finish(): 64 hex digits

 private:
  OutputFile(std::string name, base::PendingFile file)
      : name_(std::move(name)), file_(std::move(file)) {}
  void flush();
  std::string name_;
  base::PendingFile file_;
  std::string buffer_;
  Sha256 hasher_;
  std::uint64_t size_ = 0;
  std::string digest_;
  std::optional<base::Error> error_;
};

// A file to write, and what goes into it. The writer only reads what it refers to: it may run
// beside others.
struct Output {
  std::string name;
  std::function<void(Sink&)> write;
};

// What a manifest and SHA256SUMS say of a file.
struct WrittenFile {
  std::string name;
  std::uint64_t size = 0;
  std::string digest;  // 64 hex digits
};

// What a directory holds, as its manifest.json says.
inline constexpr std::string_view kReportManifest = "ethos-report-manifest/1";
inline constexpr std::string_view kFleetManifest = "ethos-fleet-manifest/1";

// Errc::exists when the directory holds a report of another kind: its files would lie among ours,
// named by nobody. An empty name is in order.
base::Result<void> check_directory(const std::string& directory, std::string_view format);

// A name in a manifest that cannot leave the directory.
bool is_plain_name(const std::string& name);

// The files of one report. Nothing appears under its name before all of them are complete; whoever
// reads a manifest finds the files it lists.
class OutputSet {
 public:
  // Creates the directory when it is missing (not its parents). `format`: of its manifest, as in
  // check_directory.
  static base::Result<OutputSet> open(const std::string& directory, std::string_view format);
  // One more file with what `writer` puts into it.
  base::Result<void> add(const std::string& name, const std::function<void(Sink&)>& writer);
  // The same for several, in this order, written on as many processors as there are (at most 4).
  base::Result<void> add_all(const std::vector<Output>& outputs);
  // Gives all their names, in the order they were added; then removes what an earlier report in
  // this directory left and this one has not, by the names in its manifest.
  base::Result<void> commit();
  [[nodiscard]] const std::vector<std::unique_ptr<OutputFile>>& files() const { return files_; }
  [[nodiscard]] std::vector<WrittenFile> written() const;

 private:
  explicit OutputSet(std::string directory) : directory_(std::move(directory)) {}
  std::string directory_;
  std::vector<std::string> earlier_;  // names of the files of an earlier report
  std::vector<std::unique_ptr<OutputFile>> files_;
};

}  // namespace ethos::reports
