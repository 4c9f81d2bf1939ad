// SPDX-License-Identifier: Apache-2.0
#include "sarif/convert/sarif1_places.h"

#include <string>

#include "sarif/convert/input.h"

namespace ethos::sarif::sarif1 {

void PlaceWriter::region(const JsonView& old_region) {
  Old old(old_region);
  writer_.key("region");
  writer_.begin_object();
  old.copy_all({"startLine", "startColumn", "endLine", "endColumn"}, writer_);
  old.copy("offset", "byteOffset", writer_);
  old.copy("length", "byteLength", writer_);
  old.write_properties(writer_);
  writer_.end_object();
}

void PlaceWriter::physical(const JsonView& file) {
  const std::string uri = text_of(file, "uri");
  if (uri.empty()) return;
  const std::string base = text_of(file, "uriBaseId");
  writer_.key("physicalLocation");
  writer_.begin_object();
  writer_.key("artifactLocation");
  writer_.begin_object();
  writer_.member("uri", reference_of(uri));
  if (!base.empty()) writer_.member("uriBaseId", base);
  if (const auto index = index_in(files_, uri)) {
    writer_.member_integer("index", static_cast<std::int64_t>(*index));
  }
  writer_.end_object();
  const auto place = file.find("region");
  if (place && place->is_object() && place->size() > 0) region(*place);
  writer_.end_object();
}

void PlaceWriter::locations(const std::optional<JsonView>& list) {
  if (!list || !list->is_array()) return;
  writer_.key("locations");
  writer_.begin_array();
  for (const JsonView one : *list) {
    Old old(one);
    writer_.begin_object();
    const auto result_file = old.take("resultFile");
    const auto target = result_file ? std::nullopt : old.take("analysisTarget");
    if (result_file) physical(*result_file);
    if (target) physical(*target);
    logical(old);
    old.write_properties(writer_);
    writer_.end_object();
  }
  writer_.end_array();
}

void PlaceWriter::logical(Old& old) {
  const std::string name = old.take_text("fullyQualifiedLogicalName");
  const std::string key = old.take_text("logicalLocationKey");
  const std::string& known = key.empty() ? name : key;
  if (known.empty()) return;
  writer_.key("logicalLocations");
  writer_.begin_array();
  writer_.begin_object();
  writer_.member("fullyQualifiedName", known);
  old.copy_all({"decoratedName"}, writer_);
  if (const auto index = index_in(logical_, known)) {
    writer_.member_integer("index", static_cast<std::int64_t>(*index));
  }
  writer_.end_object();
  writer_.end_array();
}

void PlaceWriter::annotated(Old& old) {
  if (const auto place = old.take("physicalLocation"); place && place->is_object())
    physical(*place);
  logical(old);
  old.copy_message("message", "message", writer_);
}

void PlaceWriter::related(const std::optional<JsonView>& list) {
  if (!list || !list->is_array()) return;
  writer_.key("relatedLocations");
  writer_.begin_array();
  for (const JsonView one : *list) {
    Old old(one);
    writer_.begin_object();
    annotated(old);
    old.write_properties(writer_);
    writer_.end_object();
  }
  writer_.end_array();
}

void PlaceWriter::code_flows(const std::optional<JsonView>& list) {
  if (!list || !list->is_array()) return;
  writer_.key("codeFlows");
  writer_.begin_array();
  for (const JsonView flow : *list) {
    Old old(flow);
    writer_.begin_object();
    old.copy_message("message", "message", writer_);
    writer_.key("threadFlows");
    writer_.begin_array();
    writer_.begin_object();
    writer_.key("locations");
    writer_.begin_array();
    if (const auto steps = old.take("locations"); steps && steps->is_array()) {
      for (const JsonView step : *steps) {
        Old old_step(step);
        writer_.begin_object();
        writer_.key("location");
        writer_.begin_object();
        annotated(old_step);
        writer_.end_object();
        old_step.copy("module", "module", writer_);
        const std::string importance = old_step.take_text("importance");
        if (!importance.empty()) writer_.member("importance", importance);
        old_step.write_properties(writer_);
        writer_.end_object();
      }
    }
    writer_.end_array();
    writer_.end_object();
    writer_.end_array();
    old.write_properties(writer_);
    writer_.end_object();
  }
  writer_.end_array();
}

}  // namespace ethos::sarif::sarif1
