// Sentences and clauses end at the punctuation of every script, and not at the full stop of an abbreviation.
import { expect, test } from "vitest";
import { toCaptionText } from "../../lib/editor/caption-text.ts";
import { buildCaptions } from "../../lib/editor/captions.ts";
import { createIdGenerator } from "../../lib/shared/ids.ts";
import { endsClause, endsSentence } from "../../lib/shared/sentence-end.ts";

test.each([
  ..."Yes. Yes! Yes? So… 好。 好！ 好？ 好｡ ठीक। ठीक॥ نعم؟ ہاں۔ እሺ። ဟုတ်။ បាទ។ Այո։ Oui\u00a0? Oui\u202f!".split(" "),
  ..."Ja.‘ Ja.“ Oui.› Oui.» Ja.« Ja.‹ Yes.’ Yes.” Yes.' (Yes.) 好。」 好。）".split(" "),
  "Oui\u00a0?\u00a0»",
])("a sentence ends with %s", (text) => {
  expect(endsSentence(text, "Then")).toBe(true);
  expect(endsClause(text, "then")).toBe(true);
});

test.each("yes, yes; yes: yes— yes– 好、 好， 好； 好： نعم، نعم؛ yes,”".split(" "))(
  "a clause ends with %s",
  (text) => {
    expect(endsClause(text, "then")).toBe(true);
    expect(endsSentence(text, "then")).toBe(false);
  },
);

test.each(["word", "$5", "well-", "don’t", "5%", "«Oui»", "a.b"])("nothing ends with %s", (text) => {
  expect(endsSentence(text, "Then")).toBe(false);
  expect(endsClause(text, "Then")).toBe(false);
});

test.each([
  ["Mr.", "Smith"],
  ["met Dr.", "Jones"],
  ["(Prof.", "Weber"],
  ["“Mrs.", "“Smith”"],
  ["St.", "John’s"],
  ["F.", "Kennedy"],
  ["Hr.", "Müller"],
  ["ca.", "Mitte"],
  ["bzw.", "auch"],
  ["M.", "Dupont"],
  ["Mgr.", "Martin"],
  ["Sra.", "García"],
  ["No.", "5"],
  ["Nr.", "10"],
])("the abbreviation %s does not end a sentence before %s", (text, next) => {
  expect(endsSentence(text, next)).toBe(false);
  expect(endsClause(text, next)).toBe(false);
});

test.each([
  ["No.", "Then"],
  ["am I.", "Then"],
  ["etc.", "Then"],
  ["p.m.", "Then"],
  ["in 2025.", "Then"],
  ["test.", "Then"],
  ["best.", "Then"],
  ["Plan B.", "then"],
  ["the U.S.", "Then"],
  ["Dr.", ""],
])("%s ends a sentence before “%s”", (text, next) => {
  expect(endsSentence(text, next)).toBe(true);
});

/** The captions of words of a pace that needs several of them. */
function caption(text: string): string[] {
  const LENGTH_MS = 400;
  const words = text.split(" ").map((one, index) => {
    return { text: one, start_ms: index * LENGTH_MS, end_ms: (index + 1) * LENGTH_MS };
  });
  const end_ms = words.length * LENGTH_MS;
  const clip = { clip_id: "c", asset_id: "a", fileId: "f", track: 0, start_ms: 0, end_ms, speed: 1, volume: 1 };
  const clips = [{ ...clip, source_start_ms: 0, source_end_ms: end_ms, muted: false }];
  return buildCaptions(clips, [words], createIdGenerator("seed", new Date(0))).map((one) =>
    one.text.replace("\n", " "),
  );
}

test("lines do not break between a title and its name", () => {
  const words = "Our guest today is Dr. Jones of the hospital".split(" ").map((text) => ({ text }));
  expect(toCaptionText(words)).toBe("Our guest today is\nDr. Jones of the hospital");
});

test("captions end with sentences of other scripts, and not between a title and its name", () => {
  expect(caption("Today Mr. Smith met Dr. Jones at 5 p.m. yesterday")).toEqual([
    "Today Mr. Smith met",
    "Dr. Jones at 5 p.m. yesterday",
  ]);
  expect(caption("یہ ایک کتاب ہے۔ وہ بھی کتاب ہے")).toEqual(["یہ ایک کتاب ہے۔", "وہ بھی کتاب ہے"]);
});
