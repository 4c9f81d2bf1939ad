// SPDX-License-Identifier: Apache-2.0
#include "sandbox/by_service.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <iostream>
#include <limits>
#include <utility>

#include "ledger/ledger_files.h"
#include "ledger/service/cage_client.h"
#include "sandbox/cage.h"
#include "sandbox/exit_status.h"
#include "sandbox/input_pump.h"
#include "sandbox/option_table.h"
#include "sandbox/output.h"
#include "sandbox/shown_text.h"
#include "sandbox/signal_guard.h"

extern char** environ;

namespace ethos::sandbox {
namespace {

using base::Errc;
using base::Result;
using base::Unexpected;
using base::UniqueFd;
using ledger::service::BuildMessage;
using ledger::service::CageClient;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return base::fail_errno("pipe", errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<std::string> socket_path(const RunOptions& options) {
  const auto environment = ledger::process_environment();
  if (options.service) return *options.service;
  if (auto named = environment("ETHOS_SERVICE")) return *named;
  auto choice = ledger::choose_ledger(options.ledger, std::nullopt, environment);
  if (!choice) return Unexpected(std::move(choice).error());
  return choice->files.socket();
}

// Where this run ends and who carries its streams. The service is given pipes of our own: never a
// terminal, and never a file whose flags or place its runner would share with somebody else.
class Call {
 public:
  explicit Call(CageClient client) : client_(std::move(client)) {}

  Result<void> start(const RunOptions& options) {
    BuildMessage message;
    message.args = words_for_service(options);
    for (char** at = environ; at != nullptr && *at != nullptr; ++at)
      message.environment.emplace_back(*at);
    auto out = make_pipe();
    auto err = make_pipe();
    if (!out) return Unexpected(std::move(out).error());
    if (!err) return Unexpected(std::move(err).error());
    auto input = open_input(options);
    if (!input) return Unexpected(std::move(input).error());
    const UniqueFd directory(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory.is_open()) return base::fail_errno("current directory", errno);
    if (auto ok = client_.build(
            message, {input->get(), out->write.get(), err->write.get(), directory.get()});
        !ok)
      return ok;
    for (const UniqueFd* end : {&out->read, &err->read}) ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
    out_.emplace(std::move(out->read), STDOUT_FILENO, -1, false);
    err_.emplace(std::move(err->read), STDERR_FILENO, -1, false);
    return {};
  }

  // Until the run has ended and all its output is here.
  Result<int> carry() {
    epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    if (!epoll_.is_open() || !add(signals_.fd()) || !add(client_.fd()) || !add(out_->source()) ||
        !add(err_->source()) || !in_->watch(epoll_.get()))
      return base::fail_errno("epoll", errno);
    while (!status_ || out_->is_open() || err_->is_open()) {
      std::array<epoll_event, 8> events;
      // A target that is slow is asked again; the rest wakes us.
      const bool is_waiting = out_->has_pending() || err_->has_pending();
      const int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                 is_waiting ? 10 : -1);
      if (n < 0 && errno != EINTR) return base::fail_errno("epoll", errno);
      for (int i = 0; i < n; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        if (auto ok = handle(event.data.fd, event.events); !ok)
          return Unexpected(std::move(ok).error());
      }
      for (OutputStream* stream : {&*out_, &*err_}) stream->write_some();
      show_interest();
    }
    int status = *status_;
    for (const auto& [stream, target, name] :
         {std::tuple(&*out_, STDOUT_FILENO, "standard output"),
          std::tuple(&*err_, STDERR_FILENO, "standard error")}) {
      stream->flush_filter();
      StreamResult rest = stream->finish();
      if (const int error = deliver(target, rest.undelivered, signals_.fd()); error != 0)
        rest.target_errno = error;
      if (tell_lost_output(rest, name, std::cerr)) status = code(ExitStatus::runner_failed);
    }
    return status;
  }

 private:
  // A pipe is handed over as it is, a file is carried: it stays where the caller left it in the
  // meantime, and the service takes no files.
  Result<UniqueFd> open_input(const RunOptions& options) {
    struct stat st {};
    const bool is_there = ::fstat(STDIN_FILENO, &st) == 0;
    const bool is_asked = options.standard_input == "inherit";
    const bool is_usable = is_there && (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode));
    if (is_asked && !is_usable)
      return base::fail(Errc::refused,
                        "--stdin inherit: standard input is neither a pipe nor a file");
    if (!is_usable || (options.standard_input && !is_asked)) {
      in_.emplace(UniqueFd(), -1, 0);
      UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
      if (!null.is_open()) return base::fail_errno("/dev/null", errno);
      return null;
    }
    if (S_ISFIFO(st.st_mode)) {
      in_.emplace(UniqueFd(), -1, 0);
      UniqueFd copy(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
      if (!copy.is_open()) return base::fail_errno("standard input", errno);
      return copy;
    }
    auto pipe = make_pipe();
    if (!pipe) return Unexpected(std::move(pipe).error());
    ::fcntl(pipe->write.get(), F_SETFL, O_NONBLOCK);
    in_.emplace(std::move(pipe->write), STDIN_FILENO, ::lseek(STDIN_FILENO, 0, SEEK_CUR));
    return std::move(pipe->read);
  }

  bool add(int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
  }

  Result<void> handle(int fd, std::uint32_t events) {
    if (fd == client_.fd() && !status_) {
      auto status = client_.read_some();
      if (!status) return Unexpected(std::move(status).error());
      status_ = *status;
      if (status_) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, client_.fd(), nullptr);
      return {};
    }
    if (fd == signals_.fd()) {
      signalfd_siginfo info{};
      const bool is_whole = ::read(fd, &info, sizeof info) == static_cast<ssize_t>(sizeof info);
      // The run ends by it, and says so in its record.
      return is_whole && !status_ ? client_.cancel(static_cast<int>(info.ssi_signo))
                                  : Result<void>();
    }
    if (in_->is_mine(fd)) in_->carry(events, fd);
    for (OutputStream* stream : {&*out_, &*err_})
      if (stream->is_open() && fd == stream->source() && stream->may_read())
        stream->read_some(std::numeric_limits<std::uint64_t>::max());
    return {};
  }

  // Output that is not taken holds up the tool, as a pipe would.
  void show_interest() {
    for (OutputStream* stream : {&*out_, &*err_}) {
      if (!stream->is_open()) continue;
      epoll_event event{};
      event.events = stream->may_read() ? EPOLLIN : 0U;
      event.data.fd = stream->source();
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, stream->source(), &event);
    }
  }

  CageClient client_;
  SignalGuard signals_;
  UniqueFd epoll_;
  std::optional<OutputStream> out_;
  std::optional<OutputStream> err_;
  std::optional<InputPump> in_;
  std::optional<int> status_;
};

}  // namespace

std::vector<std::string> words_for_service(const RunOptions& options) {
  RunOptions given = options;
  given.service.reset();
  given.ledger.reset();
  given.is_by_service = given.has_no_init = false;
  // What stands at our own standard input comes as a descriptor.
  if (given.standard_input == "none") given.standard_input.reset();
  std::vector<std::string> out;
  for (const OptionRow& row : option_table()) {
    if (!applies_to(row, Command::run)) continue;
    const std::string name = row.name;
    if (row.flag != nullptr) {
      if (row.flag(given)) out.push_back(name);
    } else if (row.text != nullptr) {
      if (const auto& value = row.text(given)) out.push_back(name + "=" + *value);
    } else {
      for (const std::string& value : row.list(given)) out.push_back(name + "=" + value);
    }
  }
  if (given.tool) out.push_back(*given.tool);
  if (!given.words.empty()) {
    out.emplace_back("--");
    out.insert(out.end(), given.words.begin(), given.words.end());
  }
  return out;
}

int run_by_service(const RunOptions& options, std::ostream& err) {
  const auto complain = [&](const base::Error& error) {
    err << "ethos-run: " << shown_word(error.message(), kShownMessage) << '\n';
    return code(ExitStatus::runner_failed);
  };
  if (options.keys || options.cgroup_parent)
    return complain({Errc::refused,
                     std::string(options.keys ? "--keys" : "--cgroup-parent") +
                         " is the service's to choose; leave it out with --by-service",
                     0});
  auto path = socket_path(options);
  if (!path) return complain(path.error());
  auto client = CageClient::connect(*path);
  if (!client) return complain(client.error());
  Call call(std::move(*client));
  if (auto ok = call.start(options); !ok) return complain(ok.error());
  auto status = call.carry();
  return status ? *status : complain(status.error());
}

}  // namespace ethos::sandbox
