// Values that break careless code: texts, numbers and containers.
import { JsonEntries, RawJson } from "./json.ts";
import type { Random } from "./random.ts";

const FAMILY = "\u{1F468}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466}";

const SHORT_TEXTS = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "a\udfff\ud800b",
  "\u202Egnp.exe",
  "\u2066\u2069\u200F\u200B\uFEFF",
  "\u2028\u2029\u0085",
  `e${"\u0301".repeat(60)}`,
  "Z\u0351\u036B\u0343\u036A\u0302\u036B\u033D\u034F\u0334\u0319\u0324a\u0335\u0321l\u031Cg\u0322o",
  FAMILY,
  "\u{1F1E9}\u{1F1EA}\u{1F1E9}",
  "\u{1F44D}\u{1F3FF}\u20E3\uFE0F",
  "\u0130\u00DF\uFB03\u03C2\uFDFA",
  "\u4F60\u597D \u0645\u0631\u062D\u0628\u0627 \u05E9\u05DC\u05D5\u05DD \u0928\u092E\u0938\u094D\u0924\u0947",
  "\uFFFE\uFFFF\u{10FFFF}",
  "' OR '1'='1' --",
  "'; DROP TABLE post_deliveries; --",
  "$1::uuid",
  '"; select pg_sleep(5); --',
  "%' ESCAPE '\\",
  "%",
  "_",
  "\\",
  "%_%_%_%_%_%_%_%_%",
  "{}[]()*+?.^$|",
  "(a+)+$",
  "<script>alert(1)</script>",
  `{{7*7}}\${7*7}<%= 7*7 %>`,
  `\${jndi:ldap://127.0.0.1/a}`,
  "../../../../etc/passwd",
  "..\\..\\windows\\win.ini",
  "file.jpg/../../x",
  "%00%0d%0aX-Injected: 1",
  "\r\nX-Injected: 1\r\n\r\n",
  "=HYPERLINK(1)",
  "; ls -la | cat",
  "null",
  "true",
  "undefined",
  "NaN",
  "-1",
  "1e9",
  "0x10",
  "__proto__",
  "constructor",
  "toString",
  "*/ limit 0 --",
  "{1,2}",
  '{"a":1}',
  "2026-13-45T99:99:99Z",
  "0000-00-00",
  "+275760-09-13T00:00:00.000Z",
  "9999-12-31T23:59:59.999Z",
  "10000-01-01T00:00:00Z",
  "1970-01-01T00:00:00Z",
  "-000001-01-01T00:00:00Z",
  "2026-02-30T10:00:00+99:99",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "11111111-1111-1111-1111-111111111111",
  "javascript:alert(1)",
  "data:image/png;base64,AAAA",
  "file:///etc/passwd",
  "http://127.0.0.1:1/a.jpg",
  "http://[::1]/a.jpg",
  "http://[::ffff:169.254.169.254]/latest/meta-data",
  "http://2130706433/a.jpg",
  "http://0x7f.1/a.jpg",
  "http://localhost/a.jpg",
  "http://user:pass@127.0.0.1/a.jpg",
  "http://\u2488\u24EA.\u2460/a.jpg",
  "https://",
  "http:a",
  "ftp://127.0.0.1/a",
];

const CHARACTERS = [
  "a",
  "\u00E9",
  "\u4F60",
  "\u{1F600}",
  FAMILY,
  "\u0301",
  " ",
  "\n",
  "#a ",
  "@a ",
  "http://a.co ",
  ".a",
  "\ud83d",
  "(",
  "\u0000",
  "\uFDFA",
];
const LENGTHS = [90, 101, 128, 129, 255, 256, 300, 501, 1_001, 2_049, 4_001, 5_001, 63_206, 63_207, 200_000];

export function pickHostileText(random: Random): string {
  if (random.chance(0.75)) return random.pick(SHORT_TEXTS);
  const [character, length] = [random.pick(CHARACTERS), random.pick(LENGTHS)];
  return character.repeat(Math.ceil(length / character.length));
}

const NUMBERS = [
  0,
  -1,
  1,
  0.5,
  0.1 + 0.2,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53 + 2,
  2 ** 63,
  -(2 ** 63),
  1e21,
  1e308,
  5e-324,
  Number.MAX_VALUE,
];
const NUMBER_TOKENS = ["-0", "1e400", "-1e400", "1E+2", "9".repeat(400), `0.${"3".repeat(500)}`, "1e-400"];

function pickHostileNumber(random: Random): number | RawJson {
  return random.chance(0.75) ? random.pick(NUMBERS) : new RawJson(random.pick(NUMBER_TOKENS));
}

const CONTAINERS: Record<string, { weight: number; build: (random: Random) => unknown }> = {
  emptyArray: { weight: 6, build: () => [] },
  emptyObject: { weight: 6, build: () => ({}) },
  arrayOfNull: { weight: 3, build: () => [null] },
  deepArrays: { weight: 2, build: (random) => nest("[", "]", random.pick([20, 200, 2_000, 20_000, 200_000])) },
  deepObjects: { weight: 2, build: (random) => nest('{"a":', "}", random.pick([20, 200, 2_000, 20_000])) },
  manyObjects: { weight: 2, build: (random) => Array(random.pick([36, 201, 1_001, 20_000])).fill(new RawJson("{}")) },
  manyNulls: { weight: 1, build: (random) => Array(random.pick([100, 10_000, 100_000])).fill(null) },
  manyIds: { weight: 2, build: (random) => fillWithIds(random, random.pick([21, 51, 201, 2_000, 20_000])) },
  manyKeys: { weight: 2, build: (random) => buildManyKeys(random.pick([50, 1_000, 20_000])) },
  prototype: { weight: 2, build: () => new RawJson('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}') },
  duplicateKeys: {
    weight: 2,
    build: () =>
      new JsonEntries([
        ["id", 1],
        ["id", "2"],
        ["id", null],
      ]),
  },
};

export function pickHostileContainer(random: Random): unknown {
  const weights = Object.fromEntries(Object.entries(CONTAINERS).map(([name, { weight }]) => [name, weight]));
  return CONTAINERS[random.pickWeighted(weights)]?.build(random);
}

export function pickHostileValue(random: Random): unknown {
  switch (random.pickWeighted({ text: 10, number: 5, constant: 4, container: 4 })) {
    case "text":
      return pickHostileText(random);
    case "number":
      return pickHostileNumber(random);
    case "constant":
      return random.pick([null, true, false]);
    case "container":
      return pickHostileContainer(random);
  }
}

function nest(open: string, close: string, depth: number): RawJson {
  return new RawJson(`${open.repeat(depth)}1${close.repeat(depth)}`);
}

function fillWithIds(random: Random, count: number): string[] {
  const start = random.uuid().slice(0, 24);
  return Array.from({ length: count }, (_, at) => start + at.toString(16).padStart(12, "0"));
}

function buildManyKeys(count: number): JsonEntries {
  return new JsonEntries(Array.from({ length: count }, (_, at) => [`key${at}`, at]));
}
