// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sarif/validate/context.h"

namespace ethos::sarif::validation {

// The checks that ask what a file means, by what they look at. Each is called once for an object
// that has just ended, with all of it in the tree.

// Everything below `unit` that can stand in many places: locations, regions, messages, references.
void check_parts(Context& context, const Value& unit);

void check_artifact_location(Context& context, const Value& location);
void check_base(Context& context, const Value& location);
void check_region(Context& context, const Value& region);
void check_physical_location(Context& context, const Value& location);
void check_graph(Context& context, const Value& graph);

void check_result(Context& context, const Value& result);
void check_result_rule(Context& context, const Value& result);
void check_result_ids(Context& context, const Value& result);
void check_result_for_service(Context& context, const Value& result);

void check_descriptor(Context& context, const Value& descriptor);
void check_component(Context& context, const Value& component);
void check_invocation(Context& context, const Value& invocation);
void note_notification(Context& context, const Value& notification);
void check_table_entry(Context& context, const Value& entry);  // artifact, logicalLocation, address

// At the end of a run: what its results claimed, its bases, its limits.
void check_run(Context& context, const Value& run);
void check_bases(Context& context, const Value& run);
void check_claims(Context& context, const Value& run);
void check_parents(Context& context, const Value& run);
void check_run_for_service(Context& context, const Value& run);
void check_log(Context& context, const Value& log);

// A claim about a rule, when the component that it is about is known.
void check_rule_claim(Context& context, const Component& component, const Claim& claim,
                      const ClaimPlace& place);

}  // namespace ethos::sarif::validation
