// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "ledger/base/whole_number.h"
#include "ledger/commands/define.h"

namespace ethos::ledger {
namespace {

// More than any process can have open (fs.nr_open).
constexpr std::uint64_t kMaxDescriptor = 2'147'483'583;

void define_rotate(CLI::App& app, Parsed& parsed) {
  CLI::App* rotate =
      add_command(app, parsed, "rotate", "Begin a new key epoch; the old secret is removed");
  add_passphrase(*rotate, parsed);
  auto o = std::make_shared<RotateCommand>();
  rotate->add_option("--agent-key", o->agent_key,
                     "OpenSSH public key file: the next key is one that the ssh-agent holds");
  rotate->add_flag("--json", o->as_json, "Print epoch and public key as JSON");
  set_writer(*rotate, parsed, [o](const LedgerFiles& files, const Console& console) {
    o->files = files;
    return ledger::rotate(*o, console);
  });
}

void define_revoke(CLI::App& app, Parsed& parsed) {
  CLI::App* revoke = add_command(
      app, parsed, "revoke", "Void the present epoch's key by the root key, and begin a new epoch");
  add_passphrase(*revoke, parsed);
  auto o = std::make_shared<RevokeCommand>();
  revoke->add_flag("--prepare", o->prepares, "Print what the offline root key is to sign");
  revoke->add_option("--note", o->note, "File (or -) with what it signed: record it");
  revoke->add_option("--root-key", o->root_key, "All at once, with the root key on this machine");
  base::whole_number(
      revoke->add_option("--last-trusted", o->last_trusted,
                         "Records that the revoked key is still trusted for (default: all of now)"),
      1);
  revoke->add_option("-o,--output", o->out, "With --prepare: file to write");
  set_writer(
      *revoke, parsed,
      [o](const LedgerFiles& files, const Console& console) {
        o->files = files;
        return ledger::revoke(*o, console);
      },
      [o] { return !o->prepares; });
  CLI::App* sign = add_command(app, parsed, "sign-revocation",
                               "Sign what revoke --prepare printed; needs no ledger");
  add_passphrase(*sign, parsed);
  auto s = std::make_shared<SignCommand>();
  sign->add_option("--root-key", s->root_key, "File of the root key")->required();
  sign->add_option("text", s->in, "What is to be signed (default: standard input)");
  sign->add_option("-o,--output", s->out, "File to write; standard output when absent");
  set_action(
      *sign, parsed,
      [s](const LedgerFiles& files, const Console& console) {
        s->files = files;
        return ledger::sign_revocation(*s, console);
      },
      Needs::no_ledger);
}

void define_secrets(CLI::App& app, Parsed& parsed) {
  CLI::App* root = add_command(app, parsed, "new-root",
                               "Make a root key, on a machine that stays offline; needs no ledger");
  add_passphrase(*root, parsed, Passphrase::fresh);
  auto r = std::make_shared<NewRootCommand>();
  root->add_option("--origin", r->origin, "Name you control, or a whole origin")->required();
  root->add_option("-o,--output", r->out, "File to write the secret to")->required();
  set_action(
      *root, parsed,
      [r](const LedgerFiles& files, const Console& console) {
        r->files = files;
        return ledger::new_root(*r, console);
      },
      Needs::no_ledger);
  for (const bool unseals : {false, true}) {
    CLI::App* seal =
        unseals
            ? add_command(app, parsed, "unseal-key", "Take the passphrase off a secret key file")
            : add_command(app, parsed, "seal-key", "Put a secret key file under a passphrase");
    add_passphrase(*seal, parsed, unseals ? Passphrase::known : Passphrase::fresh);
    auto k = std::make_shared<SealKeyCommand>();
    k->unseals = unseals;
    seal->add_option("file", k->key_file, "The secret key file")->required();
    set_action(
        *seal, parsed,
        [k](const LedgerFiles& files, const Console& console) {
          k->files = files;
          return ledger::seal_key(*k, console);
        },
        Needs::no_ledger);
  }
}

void define_ends(CLI::App& app, Parsed& parsed) {
  CLI::App* seal =
      add_command(app, parsed, "seal", "End the ledger: nothing can be added any more");
  add_passphrase(*seal, parsed);
  auto s = std::make_shared<SealCommand>();
  seal->add_option("--reason", s->reason, "Why, as it is to stand in the record");
  seal->add_option("--authority", s->authority, "Who ordered it");
  seal->add_flag("--with-open-runs", s->with_open_runs, "Also when runs have no end");
  set_writer(*seal, parsed, [s](const LedgerFiles& files, const Console& console) {
    s->files = files;
    return ledger::seal(*s, console);
  });
  CLI::App* fork = add_command(app, parsed, "fork",
                               "Hold a checkpoint from elsewhere against this ledger's history");
  auto f = std::make_shared<ForkCommand>();
  fork->add_option("note", f->note, "File with the checkpoint, or -")->required();
  set_action(*fork, parsed, [f](const LedgerFiles& files, const Console& console) {
    f->files = files;
    return ledger::fork(*f, console);
  });
}

}  // namespace

void add_passphrase(CLI::App& command, Parsed& parsed, Passphrase kind) {
  command.add_flag_callback(
      "--passphrase",
      [&parsed, kind] {
        parsed.passphrase.is_asked = true;
        parsed.passphrase.is_new = kind == Passphrase::fresh;
      },
      "Ask for the passphrase of sealed keys on the terminal");
  command.add_option("--passphrase-file", parsed.passphrase.file, "Read it from this file");
  base::whole_number(
      command.add_option("--passphrase-fd", parsed.passphrase.fd, "Read it from this descriptor"),
      0, kMaxDescriptor);
}

void define_keys(CLI::App& app, Parsed& parsed) {
  define_rotate(app, parsed);
  define_revoke(app, parsed);
  define_secrets(app, parsed);
  define_ends(app, parsed);
}

}  // namespace ethos::ledger
