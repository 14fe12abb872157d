import { expect, test } from "vitest";
import { foldText, normalizeKeyword } from "../../lib/shared/keyword.ts";
import { buildHookAngles } from "../../lib/trends/hooks.ts";

test("angles are patterns of the openings, most frequent first, without quoting them", () => {
  const captions = [
    "#fyp How to zebrafish in winter. More below",
    "how I quokka every day",
    "7 narwhal things",
    "POV: the axolotl wins",
    "Okapi",
  ];
  const angles = buildHookAngles(captions, "pets");
  expect(angles).toHaveLength(4);
  expect(angles[0]).toBe("Promise a how-to: show how to get one result with pets (2 of the 5 strongest openings).");
  for (const word of ["zebrafish", "quokka", "narwhal", "axolotl", "okapi"])
    expect(angles.join(" ")).not.toContain(word);
});

test("an opening is recognized after emoji, quotes and dots, with a curly apostrophe and a full-width question mark", () => {
  const of = (caption: string) => buildHookAngles([caption], "tea")[0]?.split(":")[0];
  expect(of("\u2728 POV: it rains")).toBe("Set a point of view");
  expect(of("\u{1f6d1}\ufe0f #fyp \u201cDon\u2019t\u201d boil it")).toBe("Warn first");
  expect(of("...how to pour")).toBe("Promise a how-to");
  expect(of("\u5bd2\u3044\uff1f")).toBe(
    "Ask a question about tea that the video answers (1 of the 1 strongest openings).",
  );
  expect(buildHookAngles(["\u2728 \u{1f525}!!! #tea"], "tea")).toEqual([]);
});

test("no angles without openings", () => {
  expect(buildHookAngles([], "pets")).toEqual([]);
  expect(buildHookAngles(["#only #tags", "  "], "pets")).toEqual([]);
});

test("keywords are trimmed, NFKC, case folded, single-spaced and lose their leading #", () => {
  expect(normalizeKeyword("  ##Skin\u00a0\t Care ")).toBe("skin care");
  expect(normalizeKeyword("# #tea")).toBe("tea");
  expect(normalizeKeyword("ＦＩＴ")).toBe("fit");
  expect(foldText("STRASSE")).toBe(foldText("Straße"));
  expect(foldText("ΟΔΟΣ")).toBe(foldText("οδος"));
});
