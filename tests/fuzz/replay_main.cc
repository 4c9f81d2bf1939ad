// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

// The file whole, and cut at a few lengths: a corpus is small, and half an input is its best
// friend.
void replay(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  for (const std::size_t part : {8U, 7U, 5U, 3U, 1U, 0U}) {
    const std::vector<std::uint8_t> bytes(
        text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.size() * part / 8));
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}

std::string mutated(std::string bytes, std::mt19937& rng) {
  constexpr std::string_view kInteresting("\0\n \"\\{}[],:0-9+e/\x7F\x80\xC0\xED\xFF", 22);
  for (auto changes = 1 + rng() % 3; changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = rng() % bytes.size();
    switch (rng() % 4) {
      case 0:
        bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << (rng() % 8)));
        break;
      case 1:
        bytes[at] = kInteresting[rng() % kInteresting.size()];
        break;
      case 2:
        bytes.erase(at, 1 + rng() % 4);
        break;
      default:
        bytes.insert(at, bytes.substr(rng() % bytes.size(), 1 + rng() % 16));
    }
  }
  return bytes;
}

// The same series of small changes in every run; big inputs would only cost time.
void replay_mutations(const fs::path& path, std::mt19937& rng) {
  constexpr std::size_t kMaxBytes = 4096;
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (text.size() > kMaxBytes) return;
  for (int i = 0; i < 200; ++i) {
    const std::string changed = mutated(text, rng);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(changed.data()), changed.size());
  }
}

}  // namespace

// Runs the target over every file of the folders named, for builds without libFuzzer.
int main(int argc, char** argv) {
  std::size_t files = 0;
  std::mt19937 rng(1);
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) continue;
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      replay(entry.path());
      replay_mutations(entry.path(), rng);
      ++files;
    }
  }
  std::cout << files << " inputs replayed\n";
  return files > 0 ? 0 : 1;
}
