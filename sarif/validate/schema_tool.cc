// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/schema_builders.h"
#include "sarif/validate/schema_parts.h"

namespace ethos::sarif::validation {
namespace {

constexpr Property kTool[] = {object(Key::driver, Type::tool_component),
                              unique_list(object(Key::extensions, Type::tool_component)),
                              object(Key::properties, Type::property_bag)};

constexpr Property kToolComponent[] = {
    guid(Key::guid),
    text(Key::name),
    text(Key::organization),
    text(Key::product),
    text(Key::product_suite),
    object(Key::short_description, Type::multiformat_message_string),
    object(Key::full_description, Type::multiformat_message_string),
    text(Key::full_name),
    text(Key::version),
    text(Key::semantic_version),
    dotted_quad(Key::dotted_quad_file_version),
    text(Key::release_date_utc),
    uri(Key::download_uri),
    uri(Key::information_uri),
    map(object(Key::global_message_strings, Type::multiformat_message_string)),
    unique_list(object(Key::notifications, Type::reporting_descriptor)),
    unique_list(object(Key::rules, Type::reporting_descriptor)),
    unique_list(object(Key::taxa, Type::reporting_descriptor)),
    list(object(Key::locations, Type::artifact_location)),
    language(Key::language),
    unique_list(word(Key::contents, Words::contents)),
    flag(Key::is_comprehensive),
    text(Key::localized_data_semantic_version),
    text(Key::minimum_required_localized_data_semantic_version),
    object(Key::associated_component, Type::tool_component_reference),
    object(Key::translation_metadata, Type::translation_metadata),
    unique_list(object(Key::supported_taxonomies, Type::tool_component_reference)),
    object(Key::properties, Type::property_bag)};

constexpr Property kToolComponentReference[] = {text(Key::name), integer(Key::index, -1),
                                                guid(Key::guid),
                                                object(Key::properties, Type::property_bag)};

constexpr Property kTranslationMetadata[] = {
    text(Key::name),
    text(Key::full_name),
    object(Key::short_description, Type::multiformat_message_string),
    object(Key::full_description, Type::multiformat_message_string),
    uri(Key::download_uri),
    uri(Key::information_uri),
    object(Key::properties, Type::property_bag)};

constexpr Property kReportingConfiguration[] = {
    flag(Key::enabled), word(Key::level, Words::level), number(Key::rank, -1, 100),
    object(Key::parameters, Type::property_bag), object(Key::properties, Type::property_bag)};

constexpr Property kReportingDescriptor[] = {
    text(Key::id),
    unique_list(text(Key::deprecated_ids)),
    guid(Key::guid),
    unique_list(guid(Key::deprecated_guids)),
    text(Key::name),
    unique_list(text(Key::deprecated_names)),
    object(Key::short_description, Type::multiformat_message_string),
    object(Key::full_description, Type::multiformat_message_string),
    map(object(Key::message_strings, Type::multiformat_message_string)),
    object(Key::default_configuration, Type::reporting_configuration),
    uri(Key::help_uri),
    object(Key::help, Type::multiformat_message_string),
    unique_list(object(Key::relationships, Type::reporting_descriptor_relationship)),
    object(Key::properties, Type::property_bag)};

constexpr Property kReportingDescriptorReference[] = {
    text(Key::id), integer(Key::index, -1), guid(Key::guid),
    object(Key::tool_component, Type::tool_component_reference),
    object(Key::properties, Type::property_bag)};

constexpr Property kReportingDescriptorRelationship[] = {
    object(Key::target, Type::reporting_descriptor_reference), unique_list(text(Key::kinds)),
    object(Key::description, Type::message), object(Key::properties, Type::property_bag)};

}  // namespace

std::span<const ObjectType> tool_types() {
  static constexpr std::array kTypes = {
      ObjectType{Type::tool, "tool", kTool}.requires_all({Key::driver}),
      ObjectType{Type::tool_component, "toolComponent", kToolComponent}.requires_all({Key::name}),
      ObjectType{Type::tool_component_reference, "toolComponentReference", kToolComponentReference},
      ObjectType{Type::translation_metadata, "translationMetadata", kTranslationMetadata}
          .requires_all({Key::name}),
      ObjectType{Type::reporting_configuration, "reportingConfiguration", kReportingConfiguration},
      ObjectType{Type::reporting_descriptor, "reportingDescriptor", kReportingDescriptor}
          .requires_all({Key::id}),
      ObjectType{Type::reporting_descriptor_reference, "reportingDescriptorReference",
                 kReportingDescriptorReference}
          .requires_any({Key::index, Key::guid, Key::id}),
      ObjectType{Type::reporting_descriptor_relationship, "reportingDescriptorRelationship",
                 kReportingDescriptorRelationship}
          .requires_all({Key::target})};
  return kTypes;
}

}  // namespace ethos::sarif::validation
