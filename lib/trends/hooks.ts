// Hook angles: advice from the patterns of the strongest videos' openings, without quoting them.

interface Pattern {
  matches: RegExp;
  advice(subject: string): string;
}

const PATTERNS: Pattern[] = [
  {
    matches: /^(how (to|i|we)|here'?s how)\b/,
    advice: (subject) => `Promise a how-to: show how to get one result with ${subject}`,
  },
  {
    matches: /^(pov|when you|that moment when|me when)\b/,
    advice: (subject) => `Set a point of view: put the viewer inside a moment of ${subject}`,
  },
  {
    matches: /^(\d+|two|three|four|five|six|seven|eight|nine|ten)\b/,
    advice: (subject) => `Open with a counted list: name how many things about ${subject} will follow`,
  },
  {
    matches: /^(stop|don'?t|never|avoid|quit)\b/,
    advice: (subject) => `Warn first: tell viewers which habit around ${subject} to stop`,
  },
  {
    matches: /\b(nobody|no one|they don'?t want you|secret|underrated|hidden)\b/,
    advice: (subject) => `Offer what few know: reveal an overlooked side of ${subject}`,
  },
  {
    matches: /\b(mistakes?|wrong|ruin(s|ed|ing)?)\b/,
    advice: (subject) => `Name the mistake: show what most get wrong about ${subject}`,
  },
  {
    matches: /\b(i tried|i tested|i spent|testing|trying|day \d+|\d+ days?)\b/,
    advice: (subject) => `Report an experiment: try ${subject} for a fixed time and show the outcome`,
  },
  {
    matches: /\b(before|after|transformation|glow ?up|results?)\b/,
    advice: (subject) => `Show the change: put before and after of ${subject} side by side`,
  },
  {
    matches: /\b(vs|versus|compared|better than|instead of)\b/,
    advice: (subject) => `Compare: set two ways of doing ${subject} against each other`,
  },
  {
    matches: /\b(if you|for anyone|this is your sign|attention)\b/,
    advice: (subject) => `Call out the audience: say whom this video about ${subject} is for`,
  },
  {
    matches: /\b(unpopular opinion|hot take|controversial)\b|^(honestly|real talk)\b/,
    advice: (subject) => `Take a stand: open with a view on ${subject} that people argue about`,
  },
  {
    matches: /\b(i wish|i used to|story ?time|the day i|my first)\b/,
    advice: (subject) => `Tell a story: start in the middle of what happened to you with ${subject}`,
  },
  { matches: /\?/, advice: (subject) => `Ask a question about ${subject} that the video answers` },
];

const DEFAULT_PATTERN: Pattern = {
  matches: /\S/,
  advice: (subject) => `State the point in one plain line: what ${subject} does for the viewer`,
};

const MAX_OPENING_LENGTH = 90;
const MAX_ANGLES = 5;

/** Most frequent patterns first, each with its number of openings; empty when there are no openings. */
export function buildHookAngles(captions: string[], subject: string): string[] {
  const openings = captions.map(readOpening).filter((opening) => opening !== "");
  const seen = new Map<Pattern, number>();
  for (const opening of openings) {
    const pattern = PATTERNS.find(({ matches }) => matches.test(opening)) ?? DEFAULT_PATTERN;
    seen.set(pattern, (seen.get(pattern) ?? 0) + 1);
  }
  return [...seen]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_ANGLES)
    .map(([pattern, count]) => `${pattern.advice(subject)} (${count} of the ${openings.length} strongest openings).`);
}

/** The first sentence of a caption, lower case, without leading hashtags, mentions, emoji and punctuation. */
function readOpening(caption: string): string {
  const text = caption
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("\u2019", "'")
    .replace(/^([#@]\S*|[^\p{L}\p{N}#@])+/u, "");
  const [first = ""] = /^[^\n.!?]*\??/.exec(text) ?? [];
  return first
    .replace(/[#@]\S+/g, "")
    .trim()
    .slice(0, MAX_OPENING_LENGTH);
}
