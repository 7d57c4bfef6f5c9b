# SPDX-License-Identifier: Apache-2.0
# What SARIF 2.1.0 requires of the properties that heddle writes; the names of those that break it.
def text: type == "object" and (.text | type == "string");
def artifact: (.uri | type == "string" and length > 0 and (test("[ <>\"`\\\\]") | not));
def location:
  (has("physicalLocation") | not) or
    (.physicalLocation | (.artifactLocation | artifact) and (.region.startLine | type == "number" and . >= 1));
def known(names): (keys_unsorted - names) == [];
[
  (if .version == "2.1.0" then empty else "version" end),
  (if .runs | type == "array" and length == 1 then empty else "runs" end),
  (if known(["$schema", "version", "runs"]) then empty else "log" end),
  (.runs[] |
    .tool.driver.rules as $rules |
    (if .tool.driver.name | type == "string" then empty else "driver.name" end),
    (if [$rules[].id] | length == (unique | length) then empty else "rules: not unique" end),
    (if [$rules[].shortDescription | text] | all then empty else "shortDescription" end),
    (if known(["tool", "invocations", "columnKind", "results"]) then empty else "run" end),
    (.invocations // [] | .[] | if .executionSuccessful | type == "boolean" then empty else "invocation" end),
    (if [.results[].partialFingerprints["heddleFindingId/v1"]] | length == (unique | length) then empty
     else "fingerprints: not unique" end),
    (.results[] |
      (if known(["ruleId", "ruleIndex", "level", "message", "locations", "relatedLocations", "stacks", "codeFlows",
                 "partialFingerprints", "baselineState"]) then empty else "result" end),
      (if .message | text then empty else "message" end),
      (if [.level] | inside(["error", "warning", "note", "none"]) then empty else "level" end),
      (if $rules[.ruleIndex].id == .ruleId then empty else "ruleIndex" end),
      (if [.locations[], .relatedLocations[] | location] | all then empty else "location" end),
      (.stacks[] |
        if (.frames | type == "array") and ([.frames[].location | location] | all) then empty else "stack" end),
      (.codeFlows // [] | .[] |
        (if .threadFlows | length >= 1 then empty else "threadFlows" end),
        (if [.threadFlows[].id] | length == (unique | length) then empty else "threadFlow: id" end),
        (if [.threadFlows[].locations | length >= 1] | all then empty else "threadFlow: no location" end),
        (if [.threadFlows[].locations[].location | location] | all then empty else "threadFlow: location" end),
        ([.threadFlows[].locations[].executionOrder] | sort |
          if . == [range(1; length + 1)] then empty else "executionOrder: not one interleaving" end),
        (.threadFlows[] | [.locations[].executionOrder] |
          if . == sort then empty else "executionOrder: against the thread's order" end))))
] | unique | .[]
