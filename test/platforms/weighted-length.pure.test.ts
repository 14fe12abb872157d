// The linear count of X's weighted length, beside the count of twitter-text itself.
import parseTweet from "@ambassify/twitter-text/dist/parseTweet.js";
import { expect, test } from "vitest";
import { measureWeightedLength } from "../../lib/platforms/weighted-length.ts";
import { createRandom } from "../local/corpus/random.ts";

const PIECES = [
  ..."a.-_@#:?=()'&%日é1😀м\u0301\n…。．!$~*+;[]|\u200b\u202a ",
  ".com",
  "com",
  "co",
  ".co.uk",
  ".みんな",
  "http://",
  "https://",
  "t.co/",
  "xn--",
  "www.",
  "한국",
  "👨‍👩‍👧",
  "example.com",
];

test("counts 20,000 random texts as twitter-text does", () => {
  const random = createRandom(11);
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: random.integer(1, 12) }, () => random.pick(PIECES)).join("");
    expect([text, measureWeightedLength(text)]).toEqual([text, parseTweet(text).weightedLength]);
  }
});

test("a run of labels that is too long for a domain name counts as text", () => {
  expect(measureWeightedLength("日.".repeat(1_000))).toBe(3_000);
  expect(measureWeightedLength(`${"a.".repeat(1_000)}com`)).toBe(2_003);
  expect(measureWeightedLength(`${"a.".repeat(100)}com`)).toBe(23);
});
