// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sarif/json/fragment.h"
#include "sarif/json/writer.h"
#include "sarif/repair/bases.h"
#include "sarif/repair/remap.h"
#include "sarif/repair/repair.h"
#include "sarif/repair/uri_repair.h"
#include "sarif/validate/item_digest.h"
#include "sarif/validate/schema.h"

namespace ethos::sarif {

// Mends values that are held in memory: a result, a rule, a member of a run. Each change is noted;
// who calls takes the notes away.
class Mender {
 public:
  // `files` is where fingerprints come from, nullptr for none. All must outlive the mender.
  Mender(Sources sources, SourceFiles* files) : sources_(std::move(sources)), files_(files) {}

  // What indices are translated by, nullptr for none; and where the next values begin.
  void set_tables(const RunTables* tables) { tables_ = tables; }
  void set_line(std::uint64_t line) { line_ = line; }
  // What the URIs of this run are relative to, nullptr when nothing is known.
  void set_bases(const Bases* bases) { bases_ = bases; }
  // Whether a place without a region gets line 1.
  void set_adds_regions(bool adds) { adds_regions_ = adds; }

  // Writes the member `key` of an object of `type` with the value `value`, or leaves it out.
  void write_member(const JsonView& value, std::string_view key, validation::Type type,
                    const std::string& parent_pointer, JsonWriter& writer);
  // Writes one element of the list that `property` describes.
  void write_element(const JsonView& value, const validation::Property& property,
                     const std::string& pointer, JsonWriter& writer);
  // The element as compact JSON.
  [[nodiscard]] std::string mended_text(const JsonView& value, const validation::Property& property,
                                        const std::string& pointer);
  [[nodiscard]] validation::ItemDigest digest_of_text(const std::string& text) const;

  void note(RepairKind kind, std::string pointer, std::string before, std::string after,
            std::string_view reason);
  [[nodiscard]] std::vector<RepairChange>& changes() { return changes_; }

 private:
  // Which object a value belongs to: what it means depends on it.
  struct Owner {
    validation::Type type = validation::Type::none;
    validation::Key key = validation::Key::none;      // under which the object stands
    validation::Type outer = validation::Type::none;  // of the object around it
    validation::Key outer_key = validation::Key::none;
  };

  void write_value(const JsonView& value, const validation::Property& property, bool is_element,
                   const Owner& owner, const std::string& pointer, JsonWriter& writer);
  void write_object(const JsonView& object, const Owner& owner, const std::string& pointer,
                    JsonWriter& writer);
  void write_known(const JsonView& value, std::string_view name,
                   const validation::Property& property, const Owner& owner, const JsonView* object,
                   const std::string& pointer, JsonWriter& writer);
  void write_list(const JsonView& list, const validation::Property& property, const Owner& owner,
                  const std::string& pointer, JsonWriter& writer);
  // A new token for a scalar, noted; nothing when it stays as it is.
  [[nodiscard]] std::optional<std::string> mend_scalar(const JsonView& value,
                                                       const validation::Property& property,
                                                       const Owner& owner, const JsonView* object,
                                                       const std::string& pointer);
  [[nodiscard]] std::optional<std::string> mend_uri(const JsonView& value,
                                                    const validation::Property& property,
                                                    const Owner& owner, const JsonView* object,
                                                    const std::string& pointer);
  // The URI of an artifact location, by its base; see mend_reference.
  [[nodiscard]] std::optional<MendedUri> mend_location(const JsonView& location,
                                                       bool may_be_relative) const;
  void add_region(const JsonView& object, const Owner& owner, const std::string& pointer,
                  bool has_region, JsonWriter& writer);
  [[nodiscard]] const Remap* remap_for(const validation::Property& property, const Owner& owner,
                                       const JsonView* object) const;
  // Whether the member goes, which is then noted.
  [[nodiscard]] bool is_lost(const JsonView& value, const validation::Property& property,
                             const Owner& owner, const std::string& pointer);
  [[nodiscard]] bool is_stale_base(const JsonView& value, const validation::Property& property,
                                   const Owner& owner, const JsonView* object,
                                   const std::string& pointer);
  [[nodiscard]] std::optional<std::string> fingerprint_of(const JsonView& result) const;
  void write_fingerprint(const std::string& hash, const std::string& pointer, JsonWriter& writer);
  [[nodiscard]] bool may_be_relative(const Owner& owner) const;
  [[nodiscard]] validation::ItemDigest digest_of(const JsonView& value) const;

  Sources sources_;
  SourceFiles* files_;
  const RunTables* tables_ = nullptr;
  const Bases* bases_ = nullptr;
  bool adds_regions_ = false;
  std::uint64_t line_ = 0;
  validation::ItemHasher hasher_;
  std::vector<RepairChange> changes_;
};

}  // namespace ethos::sarif
