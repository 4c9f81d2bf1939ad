// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <ostream>
#include <thread>

#include "ledger/base/file_io.h"
#include "ledger/base/whole_number.h"
#include "sarif/commands/commands.h"
#include "sarif/commands/common.h"
#include "sarif/upload/curl_transport.h"
#include "sarif/upload/github.h"
#include "sarif/upload/refusals.h"
#include "sarif/upload/upload_body.h"
#include "sarif/validate/safe_text.h"
#include "sarif/validate/validate.h"

namespace ethos::sarif {
namespace {

using validation::safe_text;

constexpr std::uint64_t kMostGzip = 10'000'000;

struct Options {
  std::vector<std::string> files;
  std::string repository;
  std::string commit;
  std::string ref;
  std::string category;
  std::string checkout_uri;
  std::string started_at;
  std::string api_url;
  std::string token_variable = "GITHUB_TOKEN";
  std::string token_file;
  std::string curl = "/usr/bin/curl";
  std::size_t retries = 4;
  double retry_wait_s = 2;
  double poll_wait_s = 5;
  bool does_not_wait = false;
  bool does_not_check = false;
  bool is_dry = false;
  bool is_json = false;
  bool is_quiet = false;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_all(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [others](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           others.find(c) != std::string_view::npos;
  });
}

bool is_repository(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == text.size()) return false;
  return is_all(text.substr(0, slash), "-_.") && is_all(text.substr(slash + 1), "-_.") &&
         text.find("..") == std::string::npos;
}

bool is_commit(const std::string& text) {
  return text.size() == 40 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool is_ref(const std::string& text) {
  if (text.size() > 1024 || text.find("..") != std::string::npos) return false;
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7F &&
           std::string_view("~^:?*[\\").find(c) == std::string_view::npos;
  });
  if (!is_plain) return false;
  if (text.starts_with("refs/heads/") || text.starts_with("refs/tags/")) {
    return text.find('/', 5) + 1 < text.size();
  }
  return text.starts_with("refs/pull/") && (text.ends_with("/merge") || text.ends_with("/head"));
}

// What the command line leaves open comes from the variables that a workflow has.
std::string complete(Options& options) {
  const auto fill = [](std::string& value, const char* name) {
    if (value.empty()) value = variable(name);
  };
  fill(options.repository, "GITHUB_REPOSITORY");
  fill(options.commit, "GITHUB_SHA");
  fill(options.ref, "GITHUB_REF");
  fill(options.api_url, "GITHUB_API_URL");
  if (options.api_url.empty()) options.api_url = "https://api.github.com";
  while (options.api_url.ends_with('/')) options.api_url.pop_back();
  if (!is_repository(options.repository)) {
    return "--repository OWNER/NAME is needed (or $GITHUB_REPOSITORY)";
  }
  if (!is_commit(options.commit)) {
    return "--commit is needed, 40 hexadecimal digits (or $GITHUB_SHA)";
  }
  if (!is_ref(options.ref)) {
    return "--ref is needed, as refs/heads/main, refs/tags/v1 or refs/pull/7/merge (or "
           "$GITHUB_REF)";
  }
  if (!is_api_url(options.api_url)) {
    return "--api-url must be https://HOST/..., or http:// to this machine";
  }
  if (!options.checkout_uri.empty() && !options.checkout_uri.starts_with("file:///")) {
    return "--checkout-uri must begin with file:///";
  }
  return {};
}

base::Result<record::SecretBytes> read_token(const Options& options) {
  std::string text;
  if (options.token_file.empty()) {
    text = variable(options.token_variable.c_str());
    if (text.empty()) {
      return base::fail(base::Errc::usage, "no token: $" + options.token_variable +
                                               " is empty; name another variable with --token-env, "
                                               "or a file with --token-file");
    }
  } else {
    auto read = base::read_file(options.token_file, 8192);
    if (!read) return base::Unexpected(std::move(read).error());
    text = std::move(*read);
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  }
  const bool is_good = is_token(text);
  record::SecretBytes token(base::as_bytes(text));
  ::explicit_bzero(text.data(), text.size());
  if (!is_good) {
    return base::fail(base::Errc::usage,
                      "the token is not one: it holds spaces, line ends or other such characters");
  }
  return token;
}

struct FileCloser {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the owner of a C handle
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, FileCloser>;

// One file and what became of it.
struct Report {
  std::string path;
  std::string state;
  UploadSizes sizes;
  UploadOutcome outcome;
  std::vector<std::string> problems;
  Exit status = Exit::done;
};

// What the service would refuse anyway, found here: with the line, before anything is sent.
bool passes_check(const SeekableInput& input, Report& report) {
  auto source = input.open_again();
  if (!source) return false;
  validation::Options options;
  options.profile = validation::Profile::github;
  options.least_severity = validation::Severity::error;
  options.findings_per_rule = 3;
  const validation::Report found = validation::validate(**source, options);
  if (found.is_clean()) return true;
  for (const validation::Finding& one : found.findings) {
    report.problems.push_back("line " + std::to_string(one.line) + ": " + one.message + " [" +
                              std::string(one.rule->id) + "] " + one.fix);
  }
  return false;
}

class Command {
 public:
  Command(const Options& options, Transport* transport, const Streams& streams)
      : options_(options), transport_(transport), streams_(streams) {}

  Exit run() {
    std::vector<Report> reports;
    Exit worst = Exit::done;
    for (const std::string& path : options_.files) {
      reports.push_back(upload(path));
      if (!options_.is_json) print(reports.back());
      worst = std::max(worst, reports.back().status);
    }
    if (options_.is_json) print_json(reports);
    streams_.out.flush();
    return streams_.out.good() ? worst : Exit::unreadable;
  }

 private:
  Report upload(const std::string& path) {
    Report report;
    report.path = path;
    const auto failed = [&report](const std::string& why, Exit status) {
      report.state = status == Exit::findings ? "not sent" : "failed";
      report.problems.push_back(why);
      report.status = status;
    };
    const auto input = SeekableInput::open(path);
    if (!input) {
      failed(input.error().message(), Exit::unreadable);
      return report;
    }
    if (!options_.does_not_check && !passes_check(*input, report)) {
      report.state = "not sent";
      report.status = Exit::findings;
      return report;
    }
    auto source = input->open_again();
    const TemporaryFile body(std::tmpfile());
    if (!source || !body) {
      failed("temporary file: " + base::Error{base::Errc::io, "", errno}.message(),
             Exit::unreadable);
      return report;
    }
    const UploadFields fields{options_.commit, options_.ref, options_.checkout_uri,
                              options_.started_at, options_.category};
    const auto sizes = write_upload_body(**source, fields, ::fileno(body.get()));
    if (!sizes) {
      failed(sizes.error().message(), Exit::unreadable);
      return report;
    }
    report.sizes = *sizes;
    if (sizes->gzip_bytes > kMostGzip && !options_.does_not_check) {
      failed(std::to_string(sizes->gzip_bytes) +
                 " bytes of gzip, and 10000000 are taken: split the file (ethos-sarif split)",
             Exit::findings);
      return report;
    }
    if (options_.is_dry) {
      report.state = "ready";
      return report;
    }
    send(::fileno(body.get()), report);
    return report;
  }

  void send(int body_fd, Report& report) {
    const auto milliseconds = [](double seconds) {
      return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    };
    UploadPatience patience;
    patience.retries = options_.retries;
    patience.first_retry = milliseconds(options_.retry_wait_s);
    patience.first_poll = milliseconds(options_.poll_wait_s);
    patience.waits_for_processing = !options_.does_not_wait;
    const Pause pause = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); };
    const Seconds now = [] {
      const auto time = std::chrono::system_clock::now().time_since_epoch();
      return static_cast<std::int64_t>(
          std::chrono::duration_cast<std::chrono::seconds>(time).count());
    };
    auto outcome = upload_to_github(*transport_, {options_.api_url, options_.repository}, body_fd,
                                    patience, pause, now);
    if (!outcome) {
      report.state = "failed";
      report.problems.push_back(outcome.error().message());
      report.status = Exit::unreadable;
      return;
    }
    report.outcome = std::move(*outcome);
    switch (report.outcome.state) {
      case UploadOutcome::State::processed:
        report.state = "processed";
        return;
      case UploadOutcome::State::accepted:
        report.state = "accepted";
        return;
      case UploadOutcome::State::refused:
        break;
    }
    report.state = "refused";
    report.status = Exit::findings;
    explain(report);
  }

  static void explain(Report& report) {
    bool is_explained = false;
    for (const std::string& error : report.outcome.errors) {
      const std::string_view advice = explain_refusal(error);
      is_explained = is_explained || !advice.empty();
      report.problems.push_back(error + (advice.empty() ? "" : " -- " + std::string(advice)));
    }
    const std::string_view advice = explain_status(report.outcome.http_status);
    if (is_explained || (advice.empty() && !report.problems.empty())) return;
    report.problems.push_back("HTTP status " + std::to_string(report.outcome.http_status) +
                              (advice.empty() ? "" : ": " + std::string(advice)));
  }

  void print(const Report& report) {
    for (const std::string& problem : report.problems) {
      complain(streams_.err, safe_text(report.path + ": " + report.state + ": " + problem));
    }
    if (options_.is_quiet || report.status == Exit::unreadable) return;
    streams_.out << safe_text(report.path) << ": " << report.state << ", "
                 << report.sizes.gzip_bytes << " bytes of gzip";
    if (!report.outcome.id.empty()) streams_.out << ", analysis " << safe_text(report.outcome.id);
    streams_.out << '\n';
  }

  void print_json(const std::vector<Report>& reports) {
    StringSink sink;
    JsonWriter writer(sink, JsonLayout::indented);
    writer.begin_array();
    for (const Report& report : reports) {
      writer.begin_object();
      writer.member("file", report.path);
      writer.member("state", report.state);
      writer.member_integer("bytes", static_cast<std::int64_t>(report.sizes.bytes));
      writer.member_integer("gzip_bytes", static_cast<std::int64_t>(report.sizes.gzip_bytes));
      writer.member_integer("calls", static_cast<std::int64_t>(report.outcome.calls));
      if (report.outcome.http_status != 0) {
        writer.member_integer("http_status", report.outcome.http_status);
      }
      if (!report.outcome.id.empty()) writer.member("id", report.outcome.id);
      writer.key("problems");
      writer.begin_array();
      for (const std::string& problem : report.problems) writer.string(problem);
      writer.end_array();
      writer.end_object();
    }
    writer.end_array();
    writer.finish();
    streams_.out << sink.text();
  }

  const Options& options_;
  Transport* transport_;
  const Streams& streams_;
};

Exit execute(Options options, const Streams& streams) {
  const std::string missing = complete(options);
  if (!missing.empty()) {
    complain(streams.err, missing);
    return Exit::usage;
  }
  if (options.is_dry) return Command(options, nullptr, streams).run();
  if (::access(options.curl.c_str(), X_OK) != 0) {
    complain(streams.err, options.curl + " is not there: install curl, or name it with --curl");
    return Exit::usage;
  }
  auto token = read_token(options);
  if (!token) {
    complain(streams.err, token.error().message());
    return token.error().code == base::Errc::usage ? Exit::usage : Exit::unreadable;
  }
  CurlTransport transport(options.curl, std::move(*token));
  return Command(options, &transport, streams).run();
}

}  // namespace

void add_upload(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "upload", "Sends SARIF files to GitHub code scanning and says what came of it");
  command->add_option("files", options->files, "SARIF files, - for standard input")->required();
  command->add_option("--repository", options->repository,
                      "OWNER/NAME (default: $GITHUB_REPOSITORY)");
  command->add_option("--commit", options->commit, "What was analysed (default: $GITHUB_SHA)");
  command->add_option("--ref", options->ref, "refs/heads/main and the like (default: $GITHUB_REF)");
  command->add_option(
      "--category", options->category,
      "Category of the runs that have none, so that two tools or jobs do not replace "
      "each other");
  command->add_option("--checkout-uri", options->checkout_uri,
                      "file:/// URI of the root, when paths in the file are absolute");
  command->add_option("--started-at", options->started_at, "When the analysis began, RFC 3339");
  command->add_option("--api-url", options->api_url,
                      "The API (default: $GITHUB_API_URL, else https://api.github.com)");
  command->add_option("--token-env", options->token_variable, "Variable that holds the token")
      ->capture_default_str();
  command->add_option("--token-file", options->token_file, "File that holds the token, instead");
  command->add_option("--curl", options->curl, "The curl program, from /")
      ->check([](const std::string& path) { return path.starts_with('/') ? "" : "not from /"; })
      ->capture_default_str();
  base::whole_number(command->add_option("--retries", options->retries,
                                         "Further tries of a call that may still work"),
                     0, 20)
      ->capture_default_str();
  base::decimal_number(command->add_option("--retry-wait", options->retry_wait_s,
                                           "Seconds before the first, then doubled"),
                       0, 3600)
      ->capture_default_str();
  base::decimal_number(
      command->add_option("--poll-wait", options->poll_wait_s,
                          "Seconds before asking whether it is processed, then doubled"),
      0, 3600)
      ->capture_default_str();
  command->add_flag("--no-wait", options->does_not_wait, "Do not ask whether it is processed");
  command->add_flag("--no-check", options->does_not_check,
                    "Send also what validate --profile github finds errors in");
  command->add_flag("--dry-run", options->is_dry, "Check and pack, send nothing; needs no token");
  command->add_flag("--json", options->is_json, "What came of each file, as JSON");
  command->add_flag("--quiet", options->is_quiet, "Say nothing of what went well");
  command->callback([options, &action] {
    action = [options](const Streams& streams) { return execute(*options, streams); };
  });
}

}  // namespace ethos::sarif
