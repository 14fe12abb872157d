// The words that captions show: how the pieces of recognizers are spelled and joined.
import { expect, test } from "vitest";
import { toCaptionText } from "../../lib/editor/caption-text.ts";
import { listWords, readTexts, readTimes, readTranscript, SEGMENT } from "./read-words.ts";

const withSpaces = (...texts: string[]) => ({ words: listWords(...texts), text: "" });

test.each<[string, string[], string[]]>([
  [
    "English",
    ["I", "'ll", "do", "state", "-of", "-the", "-art", "50", "%", ",", "ok", "."],
    ["I'll", "do", "state-of-the-art", "50%,", "ok."],
  ],
  ["a price", ["$", "5", ".", "99"], ["$5.99"]],
  ["a typographic apostrophe", ["I", "don", "’t", "e", "-mail"], ["I", "don’t", "e-mail"]],
  ["an apostrophe apart", ["don", "’", "t", "stop"], ["don’t", "stop"]],
  ["French", ["l", "'école", "est", "finie", "?"], ["l'école", "est", "finie?"]],
  ["French elisions that end", ["qu'", "il", "d’", "abord", "aujourd'", "hui"], ["qu'il", "d’abord", "aujourd'hui"]],
  ["German", ["„", "Hallo", "“", ",", "sagt", "er"], ["„Hallo“,", "sagt", "er"]],
  ["Chinese", ["你好", "，", "世界", "。"], ["你好，", "世界。"]],
  ["Chinese with a comma of ASCII", ["你好", ",", "世界", "。"], ["你好,", "世界。"]],
  ["Arabic", ["بكم", "،", "هذا", "؟"], ["بكم،", "هذا؟"]],
  ["Korean without spaces", ["안녕", "하세요"], ["안녕", "하세요"]],
  ["Hindi", ["नमस्ते", "।"], ["नमस्ते।"]],
  ["quotation marks", ['"', "Yes", '"', "she", "said"], ['"Yes"', "she", "said"]],
  ["guillemets", ["«", "Bonjour", "»", "dit", "-il"], ["«Bonjour»", "dit-il"]],
  ["brackets", ["well", "(", "maybe", ")", "not"], ["well", "(maybe)", "not"]],
  ["Spanish", ["¿", "Qué", "?", "¡", "Hola", "!"], ["¿Qué?", "¡Hola!"]],
  ["a time of day", ["at", "10", ":", "30"], ["at", "10:30"]],
  ["euros", ["nur", "5", "€", "heute"], ["nur", "5€", "heute"]],
  ["a slash", ["24", "/", "7"], ["24/7"]],
  [
    "words that begin with an apostrophe",
    ["get", "'em", "'cause", "rock", "'n'", "roll"],
    ["get", "'em", "'cause", "rock", "'n'", "roll"],
  ],
  ["a possessive plural", ["the", "dogs'", "bowl", "o'", "clock"], ["the", "dogs'", "bowl", "o'clock"]],
  ["two sentences and a number", ["in", "2025.", "99", "people"], ["in", "2025.", "99", "people"]],
  ["a hashtag", ["#", "love", "it"], ["#love", "it"]],
  ["an emoji", ["good", "👍🏽"], ["good", "👍🏽"]],
])("words apart without spaces: %s", (_, pieces, expected) => {
  expect(readTexts(withSpaces(...pieces))).toEqual(expected);
});

test.each<[string, string[], string[]]>([
  ["a price", ["It", "costs", "$5", ".99"], ["It", "costs", "$5.99"]],
  ["thousands", ["1", ",000", ",000", "people"], ["1,000,000", "people"]],
  ["a time of day", ["at", "10", ":30", "p", ".m", "."], ["at", "10:30", "p.m."]],
  ["a percentage", ["about", "3", ".5", "%"], ["about", "3.5%"]],
  ["addresses", ["example", ".com", "/path", "_2", "or", "Node", ".js"], ["example.com/path_2", "or", "Node.js"]],
  ["abbreviations", ["the", "U", ".S", ".", "or", "e", ".g", "."], ["the", "U.S.", "or", "e.g."]],
  ["a time after an article's letter", ["10", "a", ".m", "."], ["10", "a.m."]],
  ["names with a full stop", ["the", ".com", "use", ".NET", "ASP", ".NET"], ["the", ".com", "use", ".NET", "ASP.NET"]],
  ["an ampersand", ["R", "&B", "and", "AT", "&T"], ["R&B", "and", "AT&T"]],
  ["slashes", ["24", "/7", "and", "/or", "12", "/25", "/2024"], ["24/7", "and/or", "12/25/2024"]],
  ["plus signs", ["C", "++", "C", "+", "+", "A", "+", "1", "+", "1"], ["C++", "C++", "A+", "1", "+", "1"]],
  ["hyphens", ["9", "-to", "-5", "555", "-1234"], ["9-to-5", "555-1234"]],
  [
    "a number after capitals",
    ["COVID", "-19", "Covid", "-19", "an", "F", "-16"],
    ["COVID-19", "Covid-19", "an", "F-16"],
  ],
  [
    "negative numbers",
    ["it", "is", "-5", "and", "I", "-3", "Berlin", "-2"],
    ["it", "is", "-5", "and", "I", "-3", "Berlin", "-2"],
  ],
  ["a sharp", ["C", "#", "is", "F", "#"], ["C#", "is", "F#"]],
  ["a final number sign", ["press", "1", "#"], ["press", "1#"]],
  ["a sharp beside a hashtag", ["I", "#", "love", "C", "#", "and", "#1"], ["I", "#love", "C#", "and", "#1"]],
  ["two sentences", ["in", "2025.", ".5", "percent"], ["in", "2025.", ".5", "percent"]],
])("pieces that begin at punctuation: %s", (_, pieces, expected) => {
  expect(readTexts(withSpaces(...pieces))).toEqual(expected);
});

test.each<[string, string[], string[]]>([
  ["German", ["‚", "Hallo", "‘", "und", "‚", "Tag", "‘"], ["‚Hallo‘", "und", "‚Tag‘"]],
  ["English", ["‘", "Hello", "’", "and", "‘", "bye", "’"], ["‘Hello’", "and", "‘bye’"]],
  ["both", ["„", "Hallo", "“", "und", "“", "hello", "”"], ["„Hallo“", "und", "“hello”"]],
  ["guillemets inwards", ["›", "Hallo", "‹", "und", "»", "Tag", "«"], ["›Hallo‹", "und", "»Tag«"]],
  ["guillemets outwards", ["‹", "Oui", "›", "et", "«", "non", "»"], ["‹Oui›", "et", "«non»"]],
])("quotation marks that open and close: %s", (_, pieces, expected) => {
  expect(readTexts(withSpaces(...pieces))).toEqual(expected);
});

test.each<[string, string[], string[]]>([
  [
    "English",
    [" I", "'ll", " do", " state", "-of", "-the", "-art", " 50", "%", ",", " ok", "."],
    ["I'll", "do", "state-of-the-art", "50%,", "ok."],
  ],
  ["a price", [" It", " costs", " $", "5", ".", "99", " now"], ["It", "costs", "$5.99", "now"]],
  ["pieces of one word", [" un", "believ", "able", " story"], ["unbelievable", "story"]],
  ["Korean", [" 안녕", "하세요", " 여러분"], ["안녕하세요", "여러분"]],
  ["French with its space", [" l", "'", "école", " est", " finie", " ?"], ["l'école", "est", "finie\u00a0?"]],
  ["a full stop after a space", [" ok", " .", " yes"], ["ok.", "yes"]],
  ["SentencePiece", ["▁Hello", "▁wor", "ld", "!"], ["Hello", "world!"]],
  ["spaces at the end", ["Hel", "lo ", "there "], ["Hello", "there"]],
  ["a contraction after a space", [" I", " 'll", " do", " n't"], ["I'll", "don't"]],
  ["euros", [" nur", " 5", " €", " heute"], ["nur", "5\u00a0€", "heute"]],
  ["halves of an emoji", [" so", " \ud83d", "\ude00", " good"], ["so", "😀", "good"]],
])("pieces with their spaces: %s", (_, pieces, expected) => {
  expect(readTexts(withSpaces(...pieces))).toEqual(expected);
});

test.each<[string, string[], string, string[]]>([
  [
    "OpenAI",
    ["Hello", "world", "How", "are", "you"],
    "Hello, world. How are you?",
    ["Hello,", "world.", "How", "are", "you?"],
  ],
  ["a hyphen", ["state", "of", "the", "art"], "State-of-the-art.", ["State-of-the-art."]],
  ["other capitals", ["paris", "is", "nice"], "Paris is nice!", ["Paris", "is", "nice!"]],
  ["digits for words", ["it", "is", "fifty", "percent", "off"], "It is 50% off.", ["It", "is", "50%", "off."]],
  [
    "French",
    ["l", "école", "est", "finie"],
    "« L’école est finie ? »",
    ["«\u00a0L’école", "est", "finie\u00a0?\u00a0»"],
  ],
  ["a dash", ["well", "maybe"], "Well — maybe.", ["Well\u00a0—", "maybe."]],
  ["an ellipsis", ["so", "yes"], "... so… yes", ["...so…", "yes"]],
  ["Chinese bytes", ["你", "\ufffd", "\ufffd", "世界"], "你好，世界", ["你好，", "世界"]],
  ["another text", ["good", "morning"], "Untertitel der Amara.org-Community", ["good", "morning"]],
  ["a shorter text", ["uh", "good", "morning"], "Good morning.", ["Good", "morning."]],
  ["punctuation in the words only", ["Hello,", "world."], "hello world", ["Hello,", "world."]],
  ["accents", ["cafe", "ole"], "café olé!", ["café", "olé!"]],
  ["accents apart", ["cafe", "ole"], "cafe\u0301 ole\u0301!", ["cafe\u0301", "ole\u0301!"]],
  ["accents in the words", ["cafe\u0301", "ole\u0301"], "café olé!", ["café", "olé!"]],
  ["accents in the words only", ["café", "olé"], "cafe ole", ["café", "olé"]],
  ["Vietnamese", ["toi", "yeu", "ha", "noi"], "Tôi yêu Hà Nội.", ["Tôi", "yêu", "Hà", "Nội."]],
  ["Turkish", ["izmir", "guzel", "sehir"], "İzmir güzel şehir.", ["İzmir", "güzel", "şehir."]],
  ["Greek", ["καλη", "μερα"], "Καλή μέρα!", ["Καλή", "μέρα!"]],
  ["Russian", ["все", "еще", "ждет"], "Всё ещё ждёт.", ["Всё", "ещё", "ждёт."]],
  ["Hebrew", ["שלום", "עולם"], "שָׁלוֹם, עוֹלָם.", ["שָׁלוֹם,", "עוֹלָם."]],
  ["Arabic", ["مرحبا", "بكم"], "مَرْحَبًا بِكُمْ.", ["مَرْحَبًا", "بِكُمْ."]],
  ["Hindi", ["नमस्ते", "दुनिया"], "नमस्ते, दुनिया।", ["नमस्ते,", "दुनिया।"]],
  ["another text in Hindi", ["की", "का", "के"], "कु, कि, कू।", ["की", "का", "के"]],
  ["another text in Japanese", ["かき"], "がぎ。", ["かき"]],
  ["Korean", ["안녕", "하세요"], "안녕, 하세요!", ["안녕,", "하세요!"]],
  ["an empty text", ["good", "morning"], " ", ["good", "morning"]],
])("spelling of the text: %s", (_, words, text, expected) => {
  expect(readTexts({ text, words: listWords(...words) })).toEqual(expected);
});

test.each<[string, string, string[]]>([
  ["hyphens", "- Yes. - No, thanks.", ["-_Yes.", "-_No,", "thanks."]],
  ["French dashes", "— Bonjour. — Salut !", ["—_Bonjour.", "—_Salut_!"]],
  ["en dashes after other marks", "– Was? – Nichts! – Doch… – Nein.", ["–_Was?", "–_Nichts!", "–_Doch…", "–_Nein."]],
  ["quotation marks", '- "Yes." - «No.»', ['-_"Yes."', "-_«No.»"]],
  ["a quotation that begins with a dash", "« — Oui. — Non. »", ["«_—_Oui.", "—_Non._»"]],
  ["dashes without a space", "—Hola. —Adiós.", ["—Hola.", "—Adiós."]],
  ["Urdu", "- ہاں۔ - نہیں۔", ["-_ہاں۔", "-_نہیں۔"]],
  ["dashes within a sentence", "Well — maybe – not - now.", ["Well_—", "maybe_–", "not_-", "now."]],
  ["a dash after a title", "Dr. - Jones", ["Dr._-", "Jones"]],
  ["a dash at the end", "Yes. I —", ["Yes.", "I_—"]],
  ["a dash after the last sentence", "Yes. —", ["Yes._—"]],
])("dashes of a dialogue: %s", (_, text, expected) => {
  const shown = expected.map((one) => one.replaceAll("_", "\u00a0"));
  expect(readTexts({ segments: [{ ...SEGMENT, start: 0, end: 4, text: ` ${text}` }] })).toEqual(shown);
  expect(readTexts({ words: listWords(...text.split(" ").map((word) => ` ${word}`)) })).toEqual(shown);
});

test.each<[string, string[], string[]]>([
  ["dialogue", ["-", "Yes", ".", "-", "No", ",", "thanks"], ["-\u00a0Yes.", "-\u00a0No,", "thanks"]],
  ["one dash with its space", ["-", "Hello"], ["-\u00a0Hello"]],
  ["a negative number", ["-", "5", "degrees"], ["-5", "degrees"]],
  ["a compound", ["state", "-", "of", "-", "the", "-", "art", "now"], ["state-of-the-art", "now"]],
])("dashes apart without spaces: %s", (_, pieces, expected) => {
  expect(readTexts(withSpaces(...pieces))).toEqual(expected);
});

test("words keep their times when their spelling comes from the text", () => {
  expect(
    readTimes({ text: "Hello, state-of-the-art!", words: listWords("hello", "state", "of", "the", "art") }),
  ).toEqual([
    ["Hello,", 0, 0.5],
    ["state-of-the-art!", 0.5, 2.5],
  ]);
  expect(readTimes({ text: "Une théière.", words: listWords("une", "theiere") })).toEqual([
    ["Une", 0, 0.5],
    ["théière.", 0.5, 1],
  ]);
  expect(readTimes({ text: "50% off", words: listWords("fifty", "percent", "off") })[0]).toEqual(["50%", 0, 1]);
});

test("Japanese one-character pieces become words with their endings", () => {
  const pieces = [..."今日はTikTokで新しい動画を見ました。"].map((word, at) => ({
    word,
    start: at * 0.06,
    end: (at + 1) * 0.06,
  }));
  const { words } = readTranscript({ words: pieces });
  expect(words.map(({ text }) => text)).toEqual(["今日はTikTokで", "新しい", "動画を", "見ました。"]);
  expect(words.at(-1)?.end).toBeCloseTo(20 * 0.06);
});

const readText = (text: string) => readTexts({ segments: [{ ...SEGMENT, start: 0, end: 4, text }] });

test.each([
  ["a hyphen", "GPT-4oとWi-Fiの話", ["GPT-4oとWi-Fiの", "話"]],
  ["signs of other scripts", "AT&Tで50%の人が10:30に", ["AT&Tで50%の", "人が10:30に"]],
  ["brackets of full width", "人工智能（AI）的未来", ["人工", "智能", "（AI）", "的", "未来"]],
  ["digits of full width", "２０２４年に、Londonへ", ["２０２４年に、", "Londonへ"]],
  ["brackets of ASCII", "人工知能(AI)は", ["人工", "知能", "(AI)は"]],
  ["quotation marks", "他说“OK”了", ["他", "说", "“OK”了"]],
  ["an address", "见https://example.com/a-b", ["见https://example.com/a-b"]],
])("a run of scripts without spaces has none after %s", (_, text, expected) => {
  expect(readText(text)).toEqual(expected);
  expect(toCaptionText(expected.map((one) => ({ text: one }))).replace("\n", "")).toBe(text);
});

test.each([
  ["Thai", "สวัสดีครับทุกคน วันนี้เราจะมาพูด", ["สวัสดี", "ครับ", "ทุก", "คน ", "วัน", "นี้", "เรา", "จะ", "มา", "พูด"]],
  ["Japanese", "ありがとうございました　また来週", ["ありがとうございました ", "また", "来週"]],
  ["a space before a bracket", "ประเทศไทยสวยงาม (Thailand)", ["ประเทศไทย", "สวยงาม ", "(Thailand)"]],
  ["a space between all words", "今日 は いい 天気 です ね", ["今日", "は", "いい", "天気", "です", "ね"]],
])("a script without spaces keeps the one that ends a phrase: %s", (_, text, expected) => {
  expect(readText(text)).toEqual(expected);
});

test("digits, brackets and Thai without spaces", () => {
  expect(readTexts({ words: listWords("2", "0", "2", "4", "年", "に", "「", "東京", "」", "へ") })).toEqual([
    "2024年に",
    "「東京」",
    "へ",
  ]);
  expect(readTexts({ words: listWords("สวัสดีครับ", "ผม") }).join("")).toBe("สวัสดีครับผม");
});

test.each([
  ["half a surrogate pair", "he\ud83dllo"],
  ["NUL", "he\u0000llo"],
  ["a zero-width space", "he\u200bllo"],
  ["a replacement character", "hello\ufffd"],
])("%s is removed", (_, word) => {
  expect(readTexts({ text: word, words: listWords(word) })).toEqual(["hello"]);
});

test("five minutes of the fastest speech are aligned at once", () => {
  const texts = Array.from({ length: 2_000 }, (_, at) => `word${at}`);
  const started = performance.now();
  expect(
    readTranscript({ text: texts.map((one) => `${one},`).join(" "), words: listWords(...texts) }).words,
  ).toHaveLength(2_000);
  expect(readTexts({ text: texts.toReversed().join(" "), words: listWords(...texts) })).toHaveLength(2_000);
  expect(performance.now() - started).toBeLessThan(5_000);
});
