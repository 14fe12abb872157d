// Hook angles: the patterns that the openings of the strongest videos follow, told as advice and never as their words.

interface Pattern {
  fits: RegExp;
  advice(subject: string): string;
}

const PATTERNS: Pattern[] = [
  {
    fits: /^(how (to|i|we)|here'?s how)\b/,
    advice: (subject) => `Promise a how-to: show how to get one result with ${subject}`,
  },
  {
    fits: /^(pov|when you|that moment when|me when)\b/,
    advice: (subject) => `Set a point of view: put the viewer inside a moment of ${subject}`,
  },
  {
    fits: /^(\d+|two|three|four|five|six|seven|eight|nine|ten)\b/,
    advice: (subject) => `Open with a counted list: name how many things about ${subject} will follow`,
  },
  {
    fits: /^(stop|don'?t|never|avoid|quit)\b/,
    advice: (subject) => `Warn first: tell viewers which habit around ${subject} to stop`,
  },
  {
    fits: /\b(nobody|no one|they don'?t want you|secret|underrated|hidden)\b/,
    advice: (subject) => `Offer what few know: reveal an overlooked side of ${subject}`,
  },
  {
    fits: /\b(mistakes?|wrong|ruin(s|ed|ing)?)\b/,
    advice: (subject) => `Name the mistake: show what most get wrong about ${subject}`,
  },
  {
    fits: /\b(i tried|i tested|i spent|testing|trying|day \d+|\d+ days?)\b/,
    advice: (subject) => `Report an experiment: try ${subject} for a fixed time and show the outcome`,
  },
  {
    fits: /\b(before|after|transformation|glow ?up|results?)\b/,
    advice: (subject) => `Show the change: put before and after of ${subject} side by side`,
  },
  {
    fits: /\b(vs|versus|compared|better than|instead of)\b/,
    advice: (subject) => `Compare: set two ways of doing ${subject} against each other`,
  },
  {
    fits: /\b(if you|for anyone|this is your sign|attention)\b/,
    advice: (subject) => `Call out the audience: say whom this video about ${subject} is for`,
  },
  {
    fits: /\b(unpopular opinion|hot take|controversial)\b|^(honestly|real talk)\b/,
    advice: (subject) => `Take a stand: open with a view on ${subject} that people argue about`,
  },
  {
    fits: /\b(i wish|i used to|story ?time|the day i|my first)\b/,
    advice: (subject) => `Tell a story: start in the middle of what happened to you with ${subject}`,
  },
  { fits: /\?/, advice: (subject) => `Ask a question about ${subject} that the video answers` },
];

const PLAIN: Pattern = {
  fits: /\S/,
  advice: (subject) => `State the point in one plain line: what ${subject} does for the viewer`,
};

const OPENING_AT_MOST = 90;
const ANGLES_AT_MOST = 5;

/** The commonest patterns first, each with how many of the openings follow it; empty when there are no openings. */
export function hookAngles(captions: string[], subject: string): string[] {
  const openings = captions.map(openingOf).filter((opening) => opening !== "");
  const seen = new Map<Pattern, number>();
  for (const opening of openings) {
    const pattern = PATTERNS.find(({ fits }) => fits.test(opening)) ?? PLAIN;
    seen.set(pattern, (seen.get(pattern) ?? 0) + 1);
  }
  return [...seen]
    .sort(([, a], [, b]) => b - a)
    .slice(0, ANGLES_AT_MOST)
    .map(([pattern, count]) => `${pattern.advice(subject)} (${count} of the ${openings.length} strongest openings).`);
}

/** The first sentence of a caption, without the hashtags, mentions, emoji and marks before it; its apostrophes straight. */
function openingOf(caption: string): string {
  const text = caption
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("\u2019", "'")
    .replace(/^([#@]\S*|[^\p{L}\p{N}#@])+/u, "");
  const [first = ""] = /^[^\n.!?]*\??/.exec(text) ?? [];
  return first
    .replace(/[#@]\S+/g, "")
    .trim()
    .slice(0, OPENING_AT_MOST);
}
