#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of this folder: good.sarif, which no profile has anything to say about, and one
file for each rule, equal to it but for one fault.

A file is called PROFILE.RULE[+RULE...].what.sarif after the profile it is checked under and every
rule that must then speak, and no other may. Where the file can be read, properties.expect of the
log gives the JSON pointer where the rule that is named first speaks first.
"""
import copy
import json
import pathlib

HERE = pathlib.Path(__file__).parent
SCHEMA = ("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
          "sarif-schema-2.1.0.json")


def rule(rule_id, name, help_text):
    return {
        "id": rule_id,
        "name": name,
        "shortDescription": {"text": help_text},
        "fullDescription": {"text": help_text + " It is worth a look."},
        "help": {"text": "Change the line."},
        "messageStrings": {"plain": {"text": "Nothing to fill in."},
                           "two": {"text": "Both {0} and {1}."}},
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["style", "cwe-79"], "precision": "high",
                       "problem.severity": "warning", "security-severity": "7.5"},
    }


def result(rule_index, line):
    return {
        "ruleId": "R%d" % (rule_index + 1),
        "ruleIndex": rule_index,
        "level": "warning",
        "message": {"text": "The value is set, but see [there](1)."},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": {"uri": "src/main.c", "uriBaseId": "ROOT", "index": 0},
                "region": {"startLine": line, "startColumn": 3, "endLine": line, "endColumn": 8},
                "contextRegion": {"startLine": line - 1, "endLine": line + 1},
            },
        }],
        "relatedLocations": [{
            "id": 1,
            "physicalLocation": {
                "artifactLocation": {"uri": "src/main.h", "uriBaseId": "ROOT", "index": 1},
                "region": {"startLine": 4},
            },
            "message": {"text": "Declared here."},
        }],
        "partialFingerprints": {"primaryLocationLineHash": "39fa2ee980eb94b%d:1" % line},
    }


def good():
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "Checker",
                "version": "1.2.3",
                "informationUri": "https://example.com/checker",
                "rules": [rule("R1", "FirstRule", "The first thing that is looked for."),
                          rule("R2", "SecondRule", "The second thing that is looked for.")],
            }},
            "invocations": [{"executionSuccessful": True,
                             "startTimeUtc": "2026-01-02T03:04:05Z",
                             "endTimeUtc": "2026-01-02T03:04:06.5Z"}],
            "versionControlProvenance": [{"repositoryUri": "https://example.com/repository",
                                          "revisionId": "0123456789abcdef",
                                          "mappedTo": {"uriBaseId": "ROOT"}}],
            "originalUriBaseIds": {"ROOT": {"uri": "file:///home/user/repository/"}},
            "artifacts": [{"location": {"uri": "src/main.c", "uriBaseId": "ROOT"}},
                          {"location": {"uri": "src/main.h", "uriBaseId": "ROOT"}}],
            "automationDetails": {"id": "checker/nightly/"},
            "columnKind": "unicodeCodePoints",
            "results": [result(0, 5), result(1, 9)],
        }],
    }


FAULTS = []


def fault(profile, rules, what, pointer):
    def add(change):
        FAULTS.append((profile, rules, what, pointer, change))
        return change
    return add


def edit(profile, rules, what, pointer, change):
    FAULTS.append((profile, rules, what, pointer, change))


RUN = "/runs/0"
RES = "/runs/0/results/0"
LOC = RES + "/locations/0"
PHYS = LOC + "/physicalLocation"
DRIVER = "/runs/0/tool/driver"
RULE0 = DRIVER + "/rules/0"


def at(log, pointer):
    for token in pointer.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        log = log[int(token)] if isinstance(log, list) else log[token]
    return log


def put(profile, rules, what, parent, key, value, pointer=None):
    """The member (or element) `key` of `parent` becomes `value`."""
    def change(log):
        at(log, parent)[key] = value
    edit(profile, rules, what, pointer or "%s/%s" % (parent, key), change)


def drop(profile, rules, what, parent, key, pointer=None):
    def change(log):
        del at(log, parent)[key]
    edit(profile, rules, what, pointer if pointer is not None else parent, change)


# The file and its version.
put("spec", "ETH1004", "of_1_0", "", "version", "1.0.0")
put("github", "ETH1004", "of_2_2", "", "version", "2.2")
drop("spec", "ETH1005", "no_schema", "", "$schema")
put("spec", "ETH1006", "schema_of_2_0", "", "$schema", "https://example.com/sarif-2.0.0.json")

# The schema.
put("spec", "ETH1101", "results_null", RUN, "results", None)
put("spec", "ETH1101", "line_is_text", PHYS + "/region", "endLine", "5")
put("spec", "ETH1101", "column_is_half", PHYS + "/region", "startColumn", 3.5)
put("spec", "ETH1101", "rules_is_object", DRIVER, "notifications", {})
put("spec", "ETH1101", "bases_is_list", RES, "fingerprints", [])
drop("spec", "ETH1102", "no_tool_name", DRIVER, "name")
drop("spec", "ETH1102", "no_message", RES, "message")
put("spec", "ETH1103", "severity", RES, "severity", "high")
put("spec", "ETH1103", "wrong_case", RES, "ruleID", "R1")
put("spec", "ETH1104", "column_zero", PHYS + "/region", "startColumn", 0)
put("sonar", "ETH1104", "rank_over_100", RES, "rank", 100.5)
put("spec", "ETH1105", "level_high", RES, "level", "high")
put("spec", "ETH1105", "kind_fault", RES, "kind", "error", RES + "/kind")
put("spec", "ETH1106", "tag_twice", RULE0 + "/properties", "tags", ["a", "b", "a"],
    RULE0 + "/properties/tags/2")


@fault("spec", "ETH1106+ETH1221", "related_location_twice", RES + "/relatedLocations/2")
def related_twice(log):
    at(log, RES)["relatedLocations"] += [{"message": {"text": "Here."}, "id": 7.0},
                                         {"id": 7, "message": {"text": "Here."}}]


put("spec", "ETH1107", "no_thread_flow", RES, "codeFlows", [{"threadFlows": []}],
    RES + "/codeFlows/0/threadFlows")
put("spec", "ETH1108", "help_uri_relative", RULE0, "helpUri", "rules/1")
put("github", "ETH1108", "information_uri_with_space", DRIVER, "informationUri", "https://a b")
put("spec", "ETH1109", "space", PHYS, "artifactLocation", {"uri": "src/my main.c"},
    PHYS + "/artifactLocation/uri")
put("sonar", "ETH1109", "backslash", PHYS, "artifactLocation", {"uri": "src\\main.c"},
    PHYS + "/artifactLocation/uri")
put("spec", "ETH1110", "time_without_zone", RUN + "/invocations/0", "startTimeUtc",
    "2026-01-02T03:04:05")
put("spec", "ETH1111", "guid_version_7", RES, "guid", "01890a5d-ac96-774b-bcce-b302099a8057")
put("spec", "ETH1112", "language", RUN, "language", "english")
put("spec", "ETH1113", "empty_region", RES + "/relatedLocations/0/physicalLocation", "region", {})
put("spec", "ETH1113+ETH1202", "both_graphs", RES, "graphTraversals",
    [{"runGraphIndex": 0, "resultGraphIndex": 0}], RES + "/graphTraversals/0")

# References.
put("spec", "ETH1201+ETH1203", "id_twice", DRIVER + "/rules/1", "id", "R1")
put("spec", "ETH1202", "rule_index", RES, "ruleIndex", 9, RES)
put("spec", "ETH1202", "artifact_index", PHYS + "/artifactLocation", "index", 2,
    PHYS + "/artifactLocation")
put("spec", "ETH1202", "logical_location", LOC, "logicalLocations", [{"index": 0}],
    LOC + "/logicalLocations/0/index")
put("spec", "ETH1202", "parent_of_artifact", RUN + "/artifacts/1", "parentIndex", 5)
put("spec", "ETH1202", "notification", RUN + "/invocations/0", "toolExecutionNotifications",
    [{"message": {"text": "Done."}, "descriptor": {"index": 0}}],
    RUN + "/invocations/0/toolExecutionNotifications/0/descriptor/index")
put("spec", "ETH1203", "other_rule", RES, "ruleIndex", 1, RES)


@fault("spec", "ETH1203", "tool_after_results", RES)
def tool_after_results(log):
    run = log["runs"][0]
    at(log, RES)["ruleIndex"] = 1
    run["tool"] = run.pop("tool")


put("spec", "ETH1204", "rule_id", RES, "rule", {"id": "R2", "index": 0})
drop("spec", "ETH1206", "index_only", RES, "ruleId")


@fault("spec", "ETH1205", "no_rule", RES)
def no_rule(log):
    del at(log, RES)["ruleId"], at(log, RES)["ruleIndex"]


@fault("github", "ETH1207", "not_declared", RES)
def not_declared(log):
    at(log, RES)["ruleId"] = "R7"
    del at(log, RES)["ruleIndex"]


put("spec", "ETH1208", "other_artifact", PHYS + "/artifactLocation", "index", 1)


@fault("spec", "ETH1209", "circle", RUN + "/artifacts")
def circle(log):
    at(log, RUN)["artifacts"][0]["parentIndex"] = 1
    at(log, RUN)["artifacts"][1]["parentIndex"] = 0


put("spec", "ETH1210", "other_base", RES + "/relatedLocations/0/physicalLocation/artifactLocation",
    "uriBaseId", "SRCROOT", RES + "/relatedLocations/0/physicalLocation/artifactLocation")


@fault("spec", "ETH1211", "each_other", RUN + "/originalUriBaseIds/A")
def each_other(log):
    bases = at(log, RUN)["originalUriBaseIds"]
    bases["A"] = {"uri": "a/", "uriBaseId": "B"}
    bases["B"] = {"uri": "b/", "uriBaseId": "A"}


put("spec", "ETH1212", "relative_base", RUN + "/originalUriBaseIds/ROOT", "uri", "repository/")
put("spec", "ETH1213", "no_slash", RUN + "/originalUriBaseIds/ROOT", "uri", "file:///repository")
put("spec", "ETH1214", "absolute", RES + "/relatedLocations/0/physicalLocation",
    "artifactLocation", {"uri": "https://example.com/a.c", "uriBaseId": "ROOT"},
    RES + "/relatedLocations/0/physicalLocation/artifactLocation/uri")
put("spec", "ETH1215", "rooted", RES + "/relatedLocations/0/physicalLocation",
    "artifactLocation", {"uri": "/src/a.c", "uriBaseId": "ROOT"},
    RES + "/relatedLocations/0/physicalLocation/artifactLocation/uri")
put("spec", "ETH1216", "dots_in_file", RES + "/relatedLocations/0/physicalLocation",
    "artifactLocation", {"uri": "file:///src/../a.c"},
    RES + "/relatedLocations/0/physicalLocation/artifactLocation/uri")
put("spec", "ETH1217", "dots", RES + "/relatedLocations/0/physicalLocation",
    "artifactLocation", {"uri": "../a.c"},
    RES + "/relatedLocations/0/physicalLocation/artifactLocation/uri")
put("spec", "ETH1218", "no_such_message", RES + "/message", "id", "other", RES + "/message")
put("spec", "ETH1219", "one_argument", RES, "message",
    {"text": "The first of two.", "id": "two", "arguments": ["x"]}, RES + "/message")
put("spec", "ETH1219", "in_text", RES, "message", {"text": "Both {0} and {1}.", "arguments": ["x"]},
    RES + "/message/text")
put("spec", "ETH1220", "link_to_nothing", RES + "/message", "text", "See [there](2).")
put("spec", "ETH1221", "same_id", LOC, "id", 1, RES + "/relatedLocations/0/id")
put("spec", "ETH1222", "relation", LOC, "relationships", [{"target": 3}],
    LOC + "/relationships/0/target")
put("spec", "ETH1223", "huge_id", LOC, "id", 2147483648)


@fault("spec", "ETH1224", "guid_twice", "/runs/0/results/1/guid")
def guid_twice(log):
    for each in at(log, RUN)["results"]:
        each["guid"] = "11111111-1111-4111-8111-111111111111"


put("spec", "ETH1225", "edge_to_nothing", RES, "graphs",
    [{"nodes": [{"id": "a"}], "edges": [{"id": "e", "sourceNodeId": "a", "targetNodeId": "b"}]}],
    RES + "/graphs/0/edges/0/targetNodeId")

# Regions and times.
put("spec", "ETH1301", "lines", RES + "/relatedLocations/0/physicalLocation", "region",
    {"startLine": 5, "endLine": 4}, RES + "/relatedLocations/0/physicalLocation/region/endLine")
put("github", "ETH1301", "columns", RES + "/relatedLocations/0/physicalLocation", "region",
    {"startLine": 5, "startColumn": 9, "endColumn": 8},
    RES + "/relatedLocations/0/physicalLocation/region/endColumn")
put("spec", "ETH1302", "length_only", RES + "/relatedLocations/0/physicalLocation", "region",
    {"startLine": 5, "charLength": 4},
    RES + "/relatedLocations/0/physicalLocation/region/charLength")
put("spec", "ETH1303", "context_only", RES + "/relatedLocations/0", "physicalLocation",
    {"artifactLocation": {"uri": "src/main.h"}, "contextRegion": {"startLine": 1}},
    RES + "/relatedLocations/0/physicalLocation/contextRegion")
put("spec", "ETH1304", "smaller", PHYS, "contextRegion", {"startLine": 5, "startColumn": 4})
put("spec", "ETH1305", "ends_first", RUN + "/invocations/0", "endTimeUtc",
    "2026-01-02T05:04:04+02:00")
drop("spec", "ETH1306", "no_column_kind", RUN, "columnKind")

# Meaning.
put("spec", "ETH1401", "pass_with_level", RES, "kind", "pass", RES + "/level")
put("spec", "ETH1402", "one_has_none", RES, "suppressions", [], "/runs/0/results/1")
put("spec", "ETH1403", "no_reason", RUN + "/invocations/0", "executionSuccessful", False)
put("github", "ETH1404", "blank", RES + "/message", "text", " ")
put("sonar", "ETH1405", "no_name", DRIVER, "name", "")

# Style.
put("spec", "ETH1601", "no_period", RES + "/message", "text", "The value is set")
drop("spec", "ETH1602", "no_provenance", RUN, "versionControlProvenance")
put("spec", "ETH1603", "minus_one", RES + "/relatedLocations/0/physicalLocation/artifactLocation",
    "index", -1)
put("spec", "ETH1603", "analysis_target", RES, "analysisTarget",
    {"uri": "src/main.c", "uriBaseId": "ROOT"})
put("spec", "ETH1603", "rule_again", RES, "rule", {"id": "R1"})
put("sonar", "ETH1604", "word", DRIVER, "version", "trunk", DRIVER)
drop("spec", "ETH1605", "no_information_uri", DRIVER, "informationUri")


@fault("spec", "ETH1606", "hyphen", RULE0 + "/id")
def hyphen(log):
    at(log, RULE0)["id"] = "R-1"
    at(log, RES)["ruleId"] = "R-1"


put("spec", "ETH1607", "name_is_id", RULE0, "name", "R1")
put("github", "ETH1608", "home", PHYS, "artifactLocation", {"uri": "file:///home/user/main.c"},
    PHYS + "/artifactLocation/uri")
put("github", "ETH1609", "slash", PHYS, "artifactLocation", {"uri": "/main.c"},
    PHYS + "/artifactLocation/uri")


@fault("sonar", "ETH1610", "no_region", LOC)
def no_region(log):
    at(log, PHYS).pop("region")
    at(log, PHYS).pop("contextRegion")


drop("spec", "ETH1611", "not_mapped", RUN + "/versionControlProvenance/0", "mappedTo")


# Services.
@fault("github", "ETH2001", "runs_21", "/runs")
def runs_21(log):
    run = log["runs"][0]
    log["runs"] = []
    for i in range(21):
        each = copy.deepcopy(run)
        each["automationDetails"]["id"] = "checker/%d/" % i
        each["results"] = []
        log["runs"].append(each)


@fault("github", "ETH2005", "extensions_101", RUN + "/tool")
def extensions_101(log):
    at(log, RUN)["tool"]["extensions"] = [{"name": "Extension %d" % i} for i in range(101)]


def locations(count):
    def change(log):
        at(log, RES)["locations"] = [copy.deepcopy(at(log, LOC)) for _ in range(count)]
    return change


def steps(count):
    def change(log):
        step = {"location": {"message": {"text": "Here."}}}
        at(log, RES)["codeFlows"] = [{"threadFlows": [{"locations": [step] * count}]}]
    return change


edit("github", "ETH2009+ETH2032", "locations_101", RES + "/locations", locations(101))
edit("github", "ETH2007", "steps_1001", RES + "/codeFlows", steps(1001))
put("github", "ETH2010", "tags_21", RULE0 + "/properties", "tags", ["t%d" % i for i in range(21)])
put("gitlab", "ETH2011", "tags_11", RULE0 + "/properties", "tags", ["t%d" % i for i in range(11)])
put("github", "ETH2012", "long_description", RULE0 + "/shortDescription", "text", "x" * 1025,
    RULE0 + "/shortDescription/text")
put("gitlab", "ETH2013", "long_message", RES + "/message", "text", "\u00e9" * 2048 + ".",
    RES + "/message/text")


@fault("github", "ETH2015", "same_category", "/runs/1")
def same_category(log):
    log["runs"].append(copy.deepcopy(log["runs"][0]))
    log["runs"][1]["automationDetails"]["id"] = "checker/nightly/7"
    log["runs"][1]["tool"]["driver"]["version"] = "1.2.4"


drop("github", "ETH2016+ETH1202", "no_rules", DRIVER, "rules")


@fault("github", "ETH2017", "no_locations", RES)
def no_locations(log):
    at(log, RES)["locations"] = []


drop("gitlab", "ETH2017", "no_uri", PHYS + "/artifactLocation", "uri", LOC)
put("github", "ETH2018", "drive", PHYS, "artifactLocation", {"uri": "c:/main.c"},
    PHYS + "/artifactLocation/uri")
put("github", "ETH2019", "number", RULE0 + "/properties", "security-severity", 7.5)
put("github", "ETH2020", "word", RULE0 + "/properties", "security-severity", "High")
put("github", "ETH2021", "zero", RULE0 + "/properties", "security-severity", "0.0")
put("github", "ETH2022", "certain", RULE0 + "/properties", "precision", "certain")
put("github", "ETH2023", "note", RULE0 + "/properties", "problem.severity", "note")


@fault("github", "ETH2024", "suppressed", RES + "/suppressions")
def suppressed(log):
    at(log, RUN)["results"][0]["suppressions"] = [{"kind": "inSource"}]
    at(log, RUN)["results"][1]["suppressions"] = [{"kind": "external", "status": "underReview"}]


@fault("github", "ETH2025", "pass", RES + "/kind")
def passed(log):
    at(log, RES)["kind"] = "pass"
    at(log, RES)["level"] = "none"


put("github", "ETH2026", "absent", RES, "baselineState", "absent")
drop("github", "ETH2027", "no_fingerprint", RES, "partialFingerprints")
put("github", "ETH2028", "no_slash", RUN + "/automationDetails", "id", "nightly",
    RUN + "/automationDetails")


@fault("github", "ETH2029", "by_index", RES + "/codeFlows/0/threadFlows/0/locations/0")
def by_index(log):
    at(log, RES)["codeFlows"] = [{"threadFlows": [{"locations": [{"index": 0}]}]}]
    at(log, RUN)["threadFlowLocations"] = [{"location": {"message": {"text": "Here."}}}]


drop("github", "ETH2030", "no_help", RULE0, "help")
put("sonar", "ETH2031", "id_only", RES, "message", {"id": "plain"}, RES + "/message")
edit("github", "ETH2032", "two_locations", RES + "/locations", locations(2))
drop("github", "ETH2033", "no_results", RUN, "results")
put("gitlab", "ETH2034", "runs_null", "", "runs", None, "/runs")


@fault("gitlab", "ETH1610+ETH3001", "collapse", LOC)
def collapse(log):
    second = copy.deepcopy(at(log, RES))
    at(log, RUN)["results"][1] = second
    for each in at(log, RUN)["results"]:
        del each["locations"][0]["physicalLocation"]["region"]
        del each["locations"][0]["physicalLocation"]["contextRegion"]


@fault("gitlab", "ETH3002+ETH2017", "all_dropped", RUN + "/results")
def all_dropped(log):
    for each in at(log, RUN)["results"]:
        each["locations"] = []


put("gitlab", "ETH3003", "codeql_tag", RULE0 + "/properties", "tags", ["external/cwe/cwe-079"],
    RULE0 + "/properties/tags/0")
drop("sonar", "ETH4001", "no_level", RULE0, "defaultConfiguration")


def text_of(log, pointer=None):
    log = copy.deepcopy(log)
    if pointer is not None:
        log["properties"] = {"expect": pointer}
    text = json.dumps(log, indent=1, ensure_ascii=False)
    if len(text) > 20000:
        text = json.dumps(log, ensure_ascii=False, separators=(",", ":"))
    return text + "\n"


def main():
    for old in HERE.glob("*.sarif"):
        old.unlink()
    base = good()
    (HERE / "good.sarif").write_text(text_of(base), encoding="utf-8")
    names = set()
    for profile, rules, what, pointer, change in FAULTS:
        log = good()
        change(log)
        name = "%s.%s.%s.sarif" % (profile, rules, what)
        assert name not in names, name
        names.add(name)
        (HERE / name).write_text(text_of(log, pointer), encoding="utf-8")
    # Faults of the text rather than of the value in it.
    text = text_of(base, "")
    raw = {
        "spec.ETH1001.truncated": text[:len(text) // 2].encode(),
        "spec.ETH1001.empty": b"",
        "spec.ETH1001.utf16": text.encode("utf-16"),
        "spec.ETH1001.two_logs": (text + text).encode(),
        "spec.ETH1001.latin1": text.replace("Checker", "Pr\u00fcfer").encode("latin-1"),
        "spec.ETH1001.lone_surrogate": text.replace("Checker", "\\ud800").encode(),
        "spec.ETH1001.comment": ("// a log\n" + text).encode(),
        "github.ETH1003.mark": b"\xef\xbb\xbf" + text.encode(),
        "spec.ETH1002.key_twice": text_of(base, "/runs").replace(
            '"runs"', '"runs": [],\n "runs"', 1).encode(),
    }
    for name, data in raw.items():
        (HERE / (name + ".sarif")).write_bytes(data)


if __name__ == "__main__":
    main()
