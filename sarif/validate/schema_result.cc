// SPDX-License-Identifier: Apache-2.0
#include "sarif/validate/schema_builders.h"
#include "sarif/validate/schema_parts.h"

namespace ethos::sarif::validation {
namespace {

constexpr Property kArtifactChange[] = {object(Key::artifact_location, Type::artifact_location),
                                        list(object(Key::replacements, Type::replacement), 1),
                                        object(Key::properties, Type::property_bag)};

constexpr Property kAttachment[] = {object(Key::description, Type::message),
                                    object(Key::artifact_location, Type::artifact_location),
                                    unique_list(object(Key::regions, Type::region)),
                                    unique_list(object(Key::rectangles, Type::rectangle)),
                                    object(Key::properties, Type::property_bag)};

constexpr Property kCodeFlow[] = {object(Key::message, Type::message),
                                  list(object(Key::thread_flows, Type::thread_flow), 1),
                                  object(Key::properties, Type::property_bag)};

constexpr Property kEdge[] = {text(Key::id), object(Key::label, Type::message),
                              text(Key::source_node_id), text(Key::target_node_id),
                              object(Key::properties, Type::property_bag)};

constexpr Property kEdgeTraversal[] = {
    text(Key::edge_id), object(Key::message, Type::message),
    map(object(Key::final_state, Type::multiformat_message_string)),
    integer(Key::step_over_edge_count, 0), object(Key::properties, Type::property_bag)};

constexpr Property kFix[] = {object(Key::description, Type::message),
                             unique_list(object(Key::artifact_changes, Type::artifact_change), 1),
                             object(Key::properties, Type::property_bag)};

constexpr Property kGraph[] = {
    object(Key::description, Type::message), unique_list(object(Key::nodes, Type::node)),
    unique_list(object(Key::edges, Type::edge)), object(Key::properties, Type::property_bag)};

constexpr Property kGraphTraversal[] = {
    integer(Key::run_graph_index, -1),
    integer(Key::result_graph_index, -1),
    object(Key::description, Type::message),
    map(object(Key::initial_state, Type::multiformat_message_string)),
    map(object(Key::immutable_state, Type::multiformat_message_string)),
    list(object(Key::edge_traversals, Type::edge_traversal)),
    object(Key::properties, Type::property_bag)};

constexpr Property kLocation[] = {
    integer(Key::id, -1),
    object(Key::physical_location, Type::physical_location),
    unique_list(object(Key::logical_locations, Type::logical_location)),
    object(Key::message, Type::message),
    unique_list(object(Key::annotations, Type::region)),
    unique_list(object(Key::relationships, Type::location_relationship)),
    object(Key::properties, Type::property_bag)};

constexpr Property kLocationRelationship[] = {
    integer(Key::target, 0), unique_list(text(Key::kinds)), object(Key::description, Type::message),
    object(Key::properties, Type::property_bag)};

constexpr Property kLogicalLocation[] = {text(Key::name),
                                         integer(Key::index, -1),
                                         text(Key::fully_qualified_name),
                                         text(Key::decorated_name),
                                         integer(Key::parent_index, -1),
                                         text(Key::kind),
                                         object(Key::properties, Type::property_bag)};

constexpr Property kNode[] = {
    text(Key::id), object(Key::label, Type::message), object(Key::location, Type::location),
    unique_list(object(Key::children, Type::node)), object(Key::properties, Type::property_bag)};

constexpr Property kPhysicalLocation[] = {
    object(Key::address, Type::address), object(Key::artifact_location, Type::artifact_location),
    object(Key::region, Type::region), object(Key::context_region, Type::region),
    object(Key::properties, Type::property_bag)};

constexpr Property kRectangle[] = {number(Key::top),
                                   number(Key::left),
                                   number(Key::bottom),
                                   number(Key::right),
                                   object(Key::message, Type::message),
                                   object(Key::properties, Type::property_bag)};

constexpr Property kRegion[] = {integer(Key::start_line, 1),
                                integer(Key::start_column, 1),
                                integer(Key::end_line, 1),
                                integer(Key::end_column, 1),
                                integer(Key::char_offset, -1),
                                integer(Key::char_length, 0),
                                integer(Key::byte_offset, -1),
                                integer(Key::byte_length, 0),
                                object(Key::snippet, Type::artifact_content),
                                object(Key::message, Type::message),
                                text(Key::source_language),
                                object(Key::properties, Type::property_bag)};

constexpr Property kReplacement[] = {object(Key::deleted_region, Type::region),
                                     object(Key::inserted_content, Type::artifact_content),
                                     object(Key::properties, Type::property_bag)};

constexpr Property kResult[] = {
    text(Key::rule_id),
    integer(Key::rule_index, -1),
    object(Key::rule, Type::reporting_descriptor_reference),
    word(Key::kind, Words::kind),
    word(Key::level, Words::level),
    object(Key::message, Type::message),
    object(Key::analysis_target, Type::artifact_location),
    list(object(Key::locations, Type::location)),
    guid(Key::guid),
    guid(Key::correlation_guid),
    integer(Key::occurrence_count, 1),
    map(text(Key::partial_fingerprints)),
    map(text(Key::fingerprints)),
    unique_list(object(Key::stacks, Type::stack)),
    list(object(Key::code_flows, Type::code_flow)),
    unique_list(object(Key::graphs, Type::graph)),
    unique_list(object(Key::graph_traversals, Type::graph_traversal)),
    unique_list(object(Key::related_locations, Type::location)),
    unique_list(object(Key::suppressions, Type::suppression)),
    word(Key::baseline_state, Words::baseline_state),
    number(Key::rank, -1, 100),
    unique_list(object(Key::attachments, Type::attachment)),
    uri(Key::hosted_viewer_uri),
    unique_list(uri(Key::work_item_uris)),
    object(Key::provenance, Type::result_provenance),
    unique_list(object(Key::fixes, Type::fix)),
    unique_list(object(Key::taxa, Type::reporting_descriptor_reference)),
    object(Key::web_request, Type::web_request),
    object(Key::web_response, Type::web_response),
    object(Key::properties, Type::property_bag)};

constexpr Property kResultProvenance[] = {
    time(Key::first_detection_time_utc),
    time(Key::last_detection_time_utc),
    guid(Key::first_detection_run_guid),
    guid(Key::last_detection_run_guid),
    integer(Key::invocation_index, -1),
    unique_list(object(Key::conversion_sources, Type::physical_location)),
    object(Key::properties, Type::property_bag)};

constexpr Property kStack[] = {object(Key::message, Type::message),
                               list(object(Key::frames, Type::stack_frame)),
                               object(Key::properties, Type::property_bag)};

constexpr Property kStackFrame[] = {object(Key::location, Type::location), text(Key::module),
                                    integer(Key::thread_id), list(text(Key::parameters)),
                                    object(Key::properties, Type::property_bag)};

constexpr Property kSuppression[] = {guid(Key::guid),
                                     word(Key::kind, Words::suppression_kind),
                                     word(Key::status, Words::suppression_status),
                                     text(Key::justification),
                                     object(Key::location, Type::location),
                                     object(Key::properties, Type::property_bag)};

constexpr Property kThreadFlow[] = {
    text(Key::id),
    object(Key::message, Type::message),
    map(object(Key::initial_state, Type::multiformat_message_string)),
    map(object(Key::immutable_state, Type::multiformat_message_string)),
    list(object(Key::locations, Type::thread_flow_location), 1),
    object(Key::properties, Type::property_bag)};

constexpr Property kThreadFlowLocation[] = {
    integer(Key::index, -1),
    object(Key::location, Type::location),
    object(Key::stack, Type::stack),
    unique_list(text(Key::kinds)),
    unique_list(object(Key::taxa, Type::reporting_descriptor_reference)),
    text(Key::module),
    map(object(Key::state, Type::multiformat_message_string)),
    integer(Key::nesting_level, 0),
    integer(Key::execution_order, -1),
    time(Key::execution_time_utc),
    word(Key::importance, Words::importance),
    object(Key::web_request, Type::web_request),
    object(Key::web_response, Type::web_response),
    object(Key::properties, Type::property_bag)};

}  // namespace

std::span<const ObjectType> result_types() {
  static constexpr std::array kTypes = {
      ObjectType{Type::artifact_change, "artifactChange", kArtifactChange}.requires_all(
          {Key::artifact_location, Key::replacements}),
      ObjectType{Type::attachment, "attachment", kAttachment}.requires_all(
          {Key::artifact_location}),
      ObjectType{Type::code_flow, "codeFlow", kCodeFlow}.requires_all({Key::thread_flows}),
      ObjectType{Type::edge, "edge", kEdge}.requires_all(
          {Key::id, Key::source_node_id, Key::target_node_id}),
      ObjectType{Type::edge_traversal, "edgeTraversal", kEdgeTraversal}.requires_all(
          {Key::edge_id}),
      ObjectType{Type::fix, "fix", kFix}.requires_all({Key::artifact_changes}),
      ObjectType{Type::graph, "graph", kGraph},
      ObjectType{Type::graph_traversal, "graphTraversal", kGraphTraversal}.requires_one(
          {Key::run_graph_index, Key::result_graph_index}),
      ObjectType{Type::location, "location", kLocation},
      ObjectType{Type::location_relationship, "locationRelationship", kLocationRelationship}
          .requires_all({Key::target}),
      ObjectType{Type::logical_location, "logicalLocation", kLogicalLocation},
      ObjectType{Type::node, "node", kNode}.requires_all({Key::id}),
      ObjectType{Type::physical_location, "physicalLocation", kPhysicalLocation}.requires_any(
          {Key::address, Key::artifact_location}),
      ObjectType{Type::rectangle, "rectangle", kRectangle},
      ObjectType{Type::region, "region", kRegion}.requires_any(
          {Key::start_line, Key::char_offset, Key::byte_offset}),
      ObjectType{Type::replacement, "replacement", kReplacement}.requires_all(
          {Key::deleted_region}),
      ObjectType{Type::result, "result", kResult}.requires_all({Key::message}),
      ObjectType{Type::result_provenance, "resultProvenance", kResultProvenance},
      ObjectType{Type::stack, "stack", kStack}.requires_all({Key::frames}),
      ObjectType{Type::stack_frame, "stackFrame", kStackFrame},
      ObjectType{Type::suppression, "suppression", kSuppression}.requires_all({Key::kind}),
      ObjectType{Type::thread_flow, "threadFlow", kThreadFlow}.requires_all({Key::locations}),
      ObjectType{Type::thread_flow_location, "threadFlowLocation", kThreadFlowLocation}};
  return kTypes;
}

}  // namespace ethos::sarif::validation
