// SPDX-License-Identifier: Apache-2.0
// In static programs only, with -Wl,--wrap=OPENSSL_cpuid_setup. libcrypto asks the processor what
// it can do when a program is loaded, whether it is used or not; in a virtual machine each CPUID
// instruction leaves the machine, some 4 us. A launch rarely uses libcrypto (bulk_hash.h), whose
// own start asks again.

// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
extern "C" void __real_OPENSSL_cpuid_setup();
extern "C" void __wrap_OPENSSL_cpuid_setup();

extern "C" void __wrap_OPENSSL_cpuid_setup() {
  static bool was_called = false;  // the first call is the loader's
  if (was_called) __real_OPENSSL_cpuid_setup();
  was_called = true;
}
// NOLINTEND(bugprone-reserved-identifier)
