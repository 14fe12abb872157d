// Lines are broken by the rules of each script.
import { expect, test } from "vitest";
import { splitSegments } from "../../lib/rendering/line-breaks.ts";

const split = (text: string, keepWords = false) =>
  splitSegments(text, keepWords)
    .map(({ text, spaced }) => text + (spaced ? "_" : ""))
    .join("|");

test.each([
  ["spaces, but not punctuation", "Hello,  world! (yes)", "Hello,_|world!_|(yes)"],
  ["hyphens", "a well-known fact", "a_|well-|known_|fact"],
  ["no break at a no-break space", "10\u00a0km away", "10\u00a0km_|away"],
  ["Chinese, but not before a full stop or after a bracket", "你好，（世界）。", "你|好，|（世|界）。"],
  ["Japanese, but not before small kana", "ちょっと", "ちょっ|と"],
  ["Thai by words", "วันนี้อากาศดีมาก", "วัน|นี้|อากาศ|ดี|มาก"],
  ["Arabic", "مرحبا بكم، أهلا!", "مرحبا_|بكم،_|أهلا!"],
  ["Hindi keeps its clusters", "क्षत्रिय है।", "क्षत्रिय_|है।"],
  ["emoji of several parts", "a👩🏽‍💻👨‍👩‍👧b", "a|👩🏽‍💻|👨‍👩‍👧|b"],
  ["nothing", "  ", ""],
  ["tabs", "a\tb", "a_|b"],
  ["soft hyphens", "Donau\u00addampf\u00adschiff fährt", "Donau|dampf|schiff_|fährt"],
  [
    "no break in prices, percentages and French punctuation",
    "100 % — 5 €, « Bonjour ! »",
    "100 %_|—_|5 €,_|« Bonjour ! »",
  ],
  ["currency first", "nur $ 5 oder € 10", "nur_|$ 5_|oder_|€ 10"],
  ["groups of digits and units", "10 000 km in 5 min oder 12 Uhr", "10 000 km_|in_|5 min_|oder_|12 Uhr"],
  ["no unit at the beginning of a word", "5 kmh 3 minutes", "5_|kmh_|3_|minutes"],
  ["Spanish and brackets", "¿ Qué ? ( sí )", "¿ Qué ?_|( sí )"],
  ["German quotation marks", "„ Hallo “ rief er", "„ Hallo_|“_|rief_|er"],
  ["a number and a year stay apart", "in 2026 5 people", "in_|2026_|5_|people"],
  ["currencies of one country", "za 500 zł nebo 500 Kč och 500 kr", "za_|500 zł_|nebo_|500 Kč_|och_|500 kr"],
  ["codes of currencies on both sides", "ab CHF 50 bis 50 EUR", "ab_|CHF 50_|bis_|50 EUR"],
  ["large amounts", "3 Mio. € und 10 k€ oder 5 млн руб", "3 Mio. €_|und_|10 k€_|oder_|5 млн руб"],
  ["units of one letter and of areas", "50 m² mit 5 L in 10 h", "50 m²_|mit_|5 L_|in_|10 h"],
  ["units with a prefix and degrees", "100 mg at 5 ℃ and 20 мл", "100 mg_|at_|5 ℃_|and_|20 мл"],
  ["digits of other scripts", "٥٠ ٪ و ٥ € و ५० %", "٥٠ ٪_|و_|٥ €_|و_|५० %"],
  ["Hindi and Urdu full stops, and wide signs", "है । जी ॥ ہے ۔ 100 ％ x", "है ।_|जी ॥_|ہے ۔_|100 ％_|x"],
  ["an ellipsis at the end of a word", "so … and …then", "so …_|and_|…|then"],
  [
    "words that begin like a unit or a code",
    "5 l'eau 7 Lions THE 50 EUROPA 8",
    "5_|l'eau_|7_|Lions_|THE_|50_|EUROPA_|8",
  ],
])("%s", (_what, text, wanted) => {
  expect(split(text)).toBe(wanted);
});

test.each([
  ["Japanese between phrases", "朝の習慣を変えた3つのこと", "朝の|習慣を|変えた|3つのこと"],
  ["no words in katakana", "スマホを置いて、コーヒーを飲む", "スマホを|置いて、|コーヒーを|飲む"],
  ["Chinese between words, and after punctuation", "你好嗎，小習慣", "你好嗎，|小|習慣"],
  ["numbers with what they count", "寝る前の30分で", "寝る|前の|30分で"],
  ["Latin and Thai have no others", "a วันนี้", "a_วัน|นี้"],
])("without a break inside of words: %s", (_what, text, wanted) => {
  const parts = splitSegments(text, false).map((one) => one.text + (one.spaced ? "_" : one.insideWord ? "" : "|"));
  expect(parts.join("").replace(/\|$/, "")).toBe(wanted);
});

test("Korean only at spaces", () => {
  expect(split("매일 아침 물", true)).toBe("매일_|아침_|물");
});
