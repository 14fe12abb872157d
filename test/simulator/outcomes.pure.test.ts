import { expect, test } from "vitest";
import { findUnknownOutcome, OUTCOMES, readOutcomes } from "../../lib/simulator/outcomes.ts";

test("a marker forces its outcome at every network, or at the one that it names", () => {
  expect(readOutcomes("Hello [sandbox:rejected] world", "tiktok")).toEqual(["rejected"]);
  expect(readOutcomes("[Sandbox:Slow][sandbox:slow]", "hosted")).toEqual(["slow"]);
  expect(readOutcomes("[sandbox:instagram=rejected]", "instagram")).toEqual(["rejected"]);
  expect(readOutcomes("[sandbox:instagram=rejected]", "tiktok")).toEqual([]);
  expect(readOutcomes("[sandbox:x=rate_limited]", "twitter")).toEqual(["rate_limited"]);
  expect(readOutcomes("[sandbox:hosted=not_processed]", "hosted")).toEqual(["not_processed"]);
  expect(readOutcomes("sandbox:rejected, [sandbox] and [rejected]", "tiktok")).toEqual([]);
});

test("several outcomes come in a fixed order", () => {
  const caption = OUTCOMES.toReversed()
    .map((outcome) => `[sandbox:${outcome}]`)
    .join(" ");
  expect(readOutcomes(caption, "threads")).toEqual([...OUTCOMES]);
});

test("an unknown word, an unknown network and a missing bracket are named", () => {
  expect(findUnknownOutcome("Nothing here")).toBeNull();
  expect(findUnknownOutcome("[sandbox:rejected] [sandbox:x=slow] [sandbox:hosted=slow]")).toBeNull();
  expect(findUnknownOutcome("[sandbox:slow] [sandbox:rejcted]")).toBe(
    `[sandbox:rejcted] names no outcome. Outcomes are ${OUTCOMES.join(", ")}.`,
  );
  expect(findUnknownOutcome("[sandbox:myspace=slow]")).toMatch(/^\[sandbox:myspace=slow\] names no network\./);
  expect(findUnknownOutcome("[sandbox:]")).toMatch(/names no outcome/);
  expect(findUnknownOutcome("[sandbox:x=rejected=slow]")).toMatch(/^\[sandbox:x=rejected=slow\] names no outcome/);
  expect(findUnknownOutcome("so [sandbox:rejected")).toBe("[sandbox:rejected has no closing bracket.");
});
