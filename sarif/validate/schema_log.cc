// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/schema_builders.h"
#include "sarif/validate/schema_parts.h"

namespace ethos::sarif::validation {
namespace {

constexpr Property kSarifLog[] = {
    uri(Key::schema_uri), word(Key::version, Words::version),
    or_null(list(object(Key::runs, Type::run))),
    unique_list(object(Key::inline_external_properties, Type::external_properties)),
    object(Key::properties, Type::property_bag)};

constexpr Property kRun[] = {
    object(Key::tool, Type::tool),
    list(object(Key::invocations, Type::invocation)),
    object(Key::conversion, Type::conversion),
    language(Key::language),
    unique_list(object(Key::version_control_provenance, Type::version_control_details)),
    map(object(Key::original_uri_base_ids, Type::artifact_location)),
    unique_list(object(Key::artifacts, Type::artifact)),
    unique_list(object(Key::logical_locations, Type::logical_location)),
    unique_list(object(Key::graphs, Type::graph)),
    list(object(Key::results, Type::result)),
    object(Key::automation_details, Type::run_automation_details),
    unique_list(object(Key::run_aggregates, Type::run_automation_details)),
    guid(Key::baseline_guid),
    unique_list(text(Key::redaction_tokens)),
    text(Key::default_encoding),
    text(Key::default_source_language),
    unique_list(text(Key::newline_sequences), 1),
    word(Key::column_kind, Words::column_kind),
    object(Key::external_property_file_references, Type::external_property_file_references),
    unique_list(object(Key::thread_flow_locations, Type::thread_flow_location)),
    unique_list(object(Key::taxonomies, Type::tool_component)),
    list(object(Key::addresses, Type::address)),
    unique_list(object(Key::translations, Type::tool_component)),
    unique_list(object(Key::policies, Type::tool_component)),
    unique_list(object(Key::web_requests, Type::web_request)),
    unique_list(object(Key::web_responses, Type::web_response)),
    object(Key::special_locations, Type::special_locations),
    object(Key::properties, Type::property_bag)};

constexpr Property kRunAutomationDetails[] = {
    object(Key::description, Type::message), text(Key::id), guid(Key::guid),
    guid(Key::correlation_guid), object(Key::properties, Type::property_bag)};

constexpr Property kSpecialLocations[] = {object(Key::display_base, Type::artifact_location),
                                          object(Key::properties, Type::property_bag)};

constexpr Property kExternalProperties[] = {
    uri(Key::schema),
    word(Key::version, Words::version),
    guid(Key::guid),
    guid(Key::run_guid),
    object(Key::conversion, Type::conversion),
    unique_list(object(Key::graphs, Type::graph)),
    object(Key::externalized_properties, Type::property_bag),
    unique_list(object(Key::artifacts, Type::artifact)),
    list(object(Key::invocations, Type::invocation)),
    unique_list(object(Key::logical_locations, Type::logical_location)),
    unique_list(object(Key::thread_flow_locations, Type::thread_flow_location)),
    list(object(Key::results, Type::result)),
    unique_list(object(Key::taxonomies, Type::tool_component)),
    object(Key::driver, Type::tool_component),
    unique_list(object(Key::extensions, Type::tool_component)),
    unique_list(object(Key::policies, Type::tool_component)),
    unique_list(object(Key::translations, Type::tool_component)),
    list(object(Key::addresses, Type::address)),
    unique_list(object(Key::web_requests, Type::web_request)),
    unique_list(object(Key::web_responses, Type::web_response)),
    object(Key::properties, Type::property_bag)};

constexpr Property kExternalPropertyFileReference[] = {
    object(Key::location, Type::artifact_location), guid(Key::guid), integer(Key::item_count, -1),
    object(Key::properties, Type::property_bag)};

constexpr Property kExternalPropertyFileReferences[] = {
    object(Key::conversion, Type::external_property_file_reference),
    unique_list(object(Key::graphs, Type::external_property_file_reference)),
    object(Key::externalized_properties, Type::external_property_file_reference),
    unique_list(object(Key::artifacts, Type::external_property_file_reference)),
    unique_list(object(Key::invocations, Type::external_property_file_reference)),
    unique_list(object(Key::logical_locations, Type::external_property_file_reference)),
    unique_list(object(Key::thread_flow_locations, Type::external_property_file_reference)),
    unique_list(object(Key::results, Type::external_property_file_reference)),
    unique_list(object(Key::taxonomies, Type::external_property_file_reference)),
    unique_list(object(Key::addresses, Type::external_property_file_reference)),
    object(Key::driver, Type::external_property_file_reference),
    unique_list(object(Key::extensions, Type::external_property_file_reference)),
    unique_list(object(Key::policies, Type::external_property_file_reference)),
    unique_list(object(Key::translations, Type::external_property_file_reference)),
    unique_list(object(Key::web_requests, Type::external_property_file_reference)),
    unique_list(object(Key::web_responses, Type::external_property_file_reference)),
    object(Key::properties, Type::property_bag)};

constexpr Property kInvocation[] = {
    text(Key::command_line),
    list(text(Key::arguments)),
    unique_list(object(Key::response_files, Type::artifact_location)),
    time(Key::start_time_utc),
    time(Key::end_time_utc),
    integer(Key::exit_code),
    unique_list(object(Key::rule_configuration_overrides, Type::configuration_override)),
    unique_list(object(Key::notification_configuration_overrides, Type::configuration_override)),
    list(object(Key::tool_execution_notifications, Type::notification)),
    list(object(Key::tool_configuration_notifications, Type::notification)),
    text(Key::exit_code_description),
    text(Key::exit_signal_name),
    integer(Key::exit_signal_number),
    text(Key::process_start_failure_message),
    flag(Key::execution_successful),
    text(Key::machine),
    text(Key::account),
    integer(Key::process_id),
    object(Key::executable_location, Type::artifact_location),
    object(Key::working_directory, Type::artifact_location),
    map(text(Key::environment_variables)),
    object(Key::stdin, Type::artifact_location),
    object(Key::stdout, Type::artifact_location),
    object(Key::stderr, Type::artifact_location),
    object(Key::stdout_stderr, Type::artifact_location),
    object(Key::properties, Type::property_bag)};

constexpr Property kConversion[] = {
    object(Key::tool, Type::tool), object(Key::invocation, Type::invocation),
    unique_list(object(Key::analysis_tool_log_files, Type::artifact_location)),
    object(Key::properties, Type::property_bag)};

constexpr Property kVersionControlDetails[] = {uri(Key::repository_uri),
                                               text(Key::revision_id),
                                               text(Key::branch),
                                               text(Key::revision_tag),
                                               time(Key::as_of_time_utc),
                                               object(Key::mapped_to, Type::artifact_location),
                                               object(Key::properties, Type::property_bag)};

constexpr Property kNotification[] = {
    unique_list(object(Key::locations, Type::location)),
    object(Key::message, Type::message),
    word(Key::level, Words::level),
    integer(Key::thread_id),
    time(Key::time_utc),
    object(Key::exception, Type::exception),
    object(Key::descriptor, Type::reporting_descriptor_reference),
    object(Key::associated_rule, Type::reporting_descriptor_reference),
    object(Key::properties, Type::property_bag)};

constexpr Property kConfigurationOverride[] = {
    object(Key::configuration, Type::reporting_configuration),
    object(Key::descriptor, Type::reporting_descriptor_reference),
    object(Key::properties, Type::property_bag)};

constexpr Property kAddress[] = {integer(Key::absolute_address, -1),
                                 integer(Key::relative_address),
                                 integer(Key::length),
                                 text(Key::kind),
                                 text(Key::name),
                                 text(Key::fully_qualified_name),
                                 integer(Key::offset_from_parent),
                                 integer(Key::index, -1),
                                 integer(Key::parent_index, -1),
                                 object(Key::properties, Type::property_bag)};

constexpr Property kArtifact[] = {object(Key::description, Type::message),
                                  object(Key::location, Type::artifact_location),
                                  integer(Key::parent_index, -1),
                                  integer(Key::offset, 0),
                                  integer(Key::length, -1),
                                  unique_list(word(Key::roles, Words::roles)),
                                  mime_type(Key::mime_type),
                                  object(Key::contents, Type::artifact_content),
                                  text(Key::encoding),
                                  text(Key::source_language),
                                  map(text(Key::hashes)),
                                  time(Key::last_modified_time_utc),
                                  object(Key::properties, Type::property_bag)};

constexpr Property kArtifactContent[] = {text(Key::text), text(Key::binary),
                                         object(Key::rendered, Type::multiformat_message_string),
                                         object(Key::properties, Type::property_bag)};

constexpr Property kArtifactLocation[] = {
    uri_reference(Key::uri), text(Key::uri_base_id), integer(Key::index, -1),
    object(Key::description, Type::message), object(Key::properties, Type::property_bag)};

constexpr Property kWebRequest[] = {integer(Key::index, -1),
                                    text(Key::protocol),
                                    text(Key::version),
                                    text(Key::target),
                                    text(Key::method),
                                    map(text(Key::headers)),
                                    map(text(Key::parameters)),
                                    object(Key::body, Type::artifact_content),
                                    object(Key::properties, Type::property_bag)};

constexpr Property kWebResponse[] = {integer(Key::index, -1),
                                     text(Key::protocol),
                                     text(Key::version),
                                     integer(Key::status_code),
                                     text(Key::reason_phrase),
                                     map(text(Key::headers)),
                                     object(Key::body, Type::artifact_content),
                                     flag(Key::no_response_received),
                                     object(Key::properties, Type::property_bag)};

constexpr Property kMessage[] = {text(Key::text), text(Key::markdown), text(Key::id),
                                 list(text(Key::arguments)),
                                 object(Key::properties, Type::property_bag)};

constexpr Property kMultiformatMessageString[] = {text(Key::text), text(Key::markdown),
                                                  object(Key::properties, Type::property_bag)};

constexpr Property kPropertyBag[] = {unique_list(text(Key::tags)), anything(Key::precision),
                                     anything(Key::problem_severity),
                                     anything(Key::security_severity)};

constexpr Property kException[] = {text(Key::kind), text(Key::message),
                                   object(Key::stack, Type::stack),
                                   list(object(Key::inner_exceptions, Type::exception)),
                                   object(Key::properties, Type::property_bag)};

}  // namespace

std::span<const ObjectType> log_types() {
  static constexpr std::array kTypes = {
      ObjectType{Type::sarif_log, "sarifLog", kSarifLog}.requires_all({Key::version, Key::runs}),
      ObjectType{Type::run, "run", kRun}.requires_all({Key::tool}),
      ObjectType{Type::run_automation_details, "runAutomationDetails", kRunAutomationDetails},
      ObjectType{Type::special_locations, "specialLocations", kSpecialLocations},
      ObjectType{Type::external_properties, "externalProperties", kExternalProperties},
      ObjectType{Type::external_property_file_reference, "externalPropertyFileReference",
                 kExternalPropertyFileReference}
          .requires_any({Key::location, Key::guid}),
      ObjectType{Type::external_property_file_references, "externalPropertyFileReferences",
                 kExternalPropertyFileReferences},
      ObjectType{Type::invocation, "invocation", kInvocation}.requires_all(
          {Key::execution_successful}),
      ObjectType{Type::conversion, "conversion", kConversion}.requires_all({Key::tool}),
      ObjectType{Type::version_control_details, "versionControlDetails", kVersionControlDetails}
          .requires_all({Key::repository_uri}),
      ObjectType{Type::notification, "notification", kNotification}.requires_all({Key::message}),
      ObjectType{Type::configuration_override, "configurationOverride", kConfigurationOverride}
          .requires_all({Key::configuration, Key::descriptor}),
      ObjectType{Type::address, "address", kAddress},
      ObjectType{Type::artifact, "artifact", kArtifact},
      ObjectType{Type::artifact_content, "artifactContent", kArtifactContent},
      ObjectType{Type::artifact_location, "artifactLocation", kArtifactLocation},
      ObjectType{Type::web_request, "webRequest", kWebRequest},
      ObjectType{Type::web_response, "webResponse", kWebResponse},
      ObjectType{Type::message, "message", kMessage}.requires_any({Key::text, Key::id}),
      ObjectType{Type::multiformat_message_string, "multiformatMessageString",
                 kMultiformatMessageString}
          .requires_all({Key::text}),
      ObjectType{Type::property_bag, "propertyBag", kPropertyBag}.allows_others(),
      ObjectType{Type::exception, "exception", kException}};
  return kTypes;
}

}  // namespace ethos::sarif::validation
