// The fake language model's texts for a slideshow in English: real sentences about the topic, the same for equal requests.
import * as z from "zod";

const Role = z.enum(["title", "content", "call_to_action"]);

/** The part of a prompt of lib/ai/prompts.ts that the texts depend on. */
const Brief = z.object({
  topic: z.string().nullable(),
  product: z.object({ name: z.string() }).nullable(),
  slideshow_type: z.enum(["educational", "personal"]),
  language: z.string(),
  slides: z.array(Role).min(1),
  room: z.object({ heading_characters: z.number() }),
  /** Of a slide that is written again. */
  rewrite: z.number().optional(),
});
type Brief = z.output<typeof Brief>;

export interface SlideTexts {
  heading: string;
  body: string;
}

const HEADINGS = [
  "Start smaller than you think",
  "Make the first step easy",
  "Write it down once",
  "Ask somebody who has done it",
  "Give it a full week",
  "Drop what does not help",
  "Same time, every day",
  "Keep what already works",
  "Expect a bad day",
  "Finish before it is perfect",
  "Show it to one person",
  "Measure one thing only",
] as const;

/** `{topic}` stands after "about", where it may be a noun or begin with how, why or a number. */
const BODIES = {
  educational: [
    "Most advice about {topic} skips this. Ten minutes are enough.",
    "Read less about {topic} and try one thing today.",
    "What you believe about {topic} changes once you try it.",
    "Keep one note about {topic}, and look at it on Sunday.",
    "Nobody learns about {topic} in a day. A week is plenty.",
  ],
  personal: [
    "I read everything about {topic} and did nothing. Then I did this.",
    "My friends laughed about {topic}. They ask me now.",
    "I was wrong about {topic}, and it took me a week to see it.",
    "I wrote down one thing about {topic} each evening.",
    "I still think about {topic}, only with less worry.",
  ],
};

const MAX_TOPIC = 40;
const MAX_WORD = 18;

/** Null for any other prompt, and for one in another language. `at` makes other requests begin with other texts. */
export function writeSlideshowTexts(prompt: unknown, at: number): { title: string; slides: SlideTexts[] } | null {
  const { data: brief } = Brief.safeParse(prompt);
  const topic = brief ? shorten(brief.topic ?? brief.product?.name ?? "", MAX_TOPIC) : "";
  if (!brief || topic === "" || !isEnglish(brief.language, topic)) return null;
  return {
    title: capitalize(topic),
    slides: brief.slides.map((role, slide) => writeSlide(brief, role, topic, at + slide)),
  };
}

/** Null unless the prompt asks for one slide. */
export function writeSlideTexts(prompt: unknown, at: number): SlideTexts | null {
  const { data: brief } = Brief.safeParse(prompt);
  if (brief?.rewrite === undefined) return null;
  return writeSlideshowTexts(prompt, at)?.slides[brief.rewrite] ?? null;
}

function writeSlide(brief: Brief, role: z.output<typeof Role>, topic: string, at: number): SlideTexts {
  const room = brief.room.heading_characters;
  if (role === "title")
    return { heading: shorten(at % 2 === 0 ? capitalize(topic) : `Read this about ${topic}`, room), body: "" };
  if (role === "call_to_action") {
    const product = brief.product ? `Try ${shorten(brief.product.name, MAX_TOPIC)} and tell us how it went.` : null;
    return { heading: "Save this for later", body: product ?? `What would you add about ${lowerFirst(topic)}?` };
  }
  const bodies = BODIES[brief.slideshow_type];
  const body = bodies[at % bodies.length] ?? "";
  return {
    heading: shorten(HEADINGS[at % HEADINGS.length] ?? "", room),
    body: body.replace("{topic}", lowerFirst(topic)),
  };
}

/** Latin letters alone do not make English, but a prompt in another language usually has others. */
function isEnglish(language: string, topic: string): boolean {
  return /^en\b/i.test(language) || (language.startsWith("same_as_") && /^[\x20-\x7e’“”–—]*$/.test(topic));
}

/** Whole words, without the full stop at the end. */
function shorten(text: string, most: number): string {
  const words = text.split(/\s+/).map((word) => [...word].slice(0, MAX_WORD).join(""));
  let short = "";
  for (const word of words) {
    if (short !== "" && short.length + 1 + word.length > most) break;
    short = short === "" ? word : `${short} ${word}`;
  }
  return short.replace(/[.,;:!?\s]+$/, "");
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Words in capitals, and a lone I, keep their first letter. */
const lowerFirst = (text: string) =>
  /^([A-Z]{2}|I\b)/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
