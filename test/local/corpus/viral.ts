// A generated viral library of every category and platform, the same on every run. It contains no real posts.
import type { z } from "zod";
import type { ViralLine } from "../../../functions/commands/import-viral.ts";
import { DAY_MS } from "../../../lib/shared/durations.ts";
import { createRandom, type SeededRandom } from "./random.ts";
import { TOPICS, type Topic } from "./topics.ts";

export type ViralPostLine = z.input<typeof ViralLine>;

/** The library of the local stack; corpus/vectors.int8 holds the vectors of its posts. */
export const VIRAL_CORPUS = { count: 3_000, seed: 1 };

/** The host of pictures that do not exist. */
export const PICTURE_HOST = "https://pictures.example";

const PLATFORMS = ["tiktok", "tiktok", "instagram", "threads", "youtube"] as const;
const BUSINESSES = ["app", "ecommerce", "saas", "service", "affiliate", "creator", "game", "book", "other"] as const;
/** The day after the newest post. */
const END = Date.UTC(2026, 5, 30);
/** One post in this many is bilingual. */
const BILINGUAL_INTERVAL = 5;
/** One post in this many has words of a second topic, so that topics are not isolated from each other. */
const CROSS_TOPIC_INTERVAL = 4;

const HOOKS: ((a: string, b: string) => string)[] = [
  (a, b) => `What ${a} taught me about ${b}`,
  (a, b) => `Start with ${a}, end with ${b}`,
  (a, b) => `The ${a} and ${b} rule`,
  (a, b) => `Why my ${a} needed ${b}`,
  (a, b) => `From ${a} to ${b} in a week`,
  (a, b) => `Less ${a}, more ${b}`,
];

export function* generateViralPosts({ count, seed }: { count: number; seed: number }): Generator<ViralPostLine> {
  const random = createRandom(seed);
  for (let at = 0; at < count; at++) {
    const topic = TOPICS[at % TOPICS.length];
    if (topic) yield generatePost(topic, `v${seed}x${at}`, random.next() < 1 / BILINGUAL_INTERVAL, random);
  }
}

function generatePost(topic: Topic, id: string, bilingual: boolean, random: SeededRandom): ViralPostLine {
  const platform = random.pick(PLATFORMS);
  const slides = random.next() < 0.5 ? random.integer(3, 12) : null;
  const crossTopicWords = random.next() < 1 / CROSS_TOPIC_INTERVAL ? random.sample(random.pick(TOPICS).words, 2) : [];
  const words = [...random.sample(topic.words, 5 - crossTopicWords.length), ...crossTopicWords];
  const [first = "", second = "", ...rest] = bilingual
    ? [...words.slice(0, 3), ...random.sample(topic.synonyms, 3)]
    : words;
  const views = 10_001 + random.logNormal(60_000);
  // Their texts combine words at random, and who reads one is to see that.
  const account = `sample.${topic.name.replaceAll(" ", ".")}.${random.integer(1, 40)}`;
  const checked = platform === "tiktok" && random.next() < 0.6;
  const images = Array.from({ length: slides ?? 0 }, (_, slide) => `${PICTURE_HOST}/${id}/${slide + 1}.jpg`);
  const segments = [first, second, ...rest].map((word, part) => ({
    start_ms: part * 1500,
    end_ms: part * 1500 + 1400,
    text: `Here is ${word}.`,
  }));
  return {
    platform,
    id,
    content_type: slides ? (random.next() < 0.1 ? "mixed" : "slideshow") : "video",
    link: `https://${platform}.example/@${account}/${id}`,
    category: topic.category as ViralPostLine["category"],
    business_type: random.next() < 0.2 ? "unclassified" : random.pick(BUSINESSES),
    product_name: random.next() < 0.3 ? `${capitalize(first)}ly` : null,
    product_app:
      random.next() < 0.15
        ? { store: "apple", app_id: String(random.integer(1000, 1400)), name: `${capitalize(first)}ly` }
        : null,
    account,
    caption: `${HOOKS[random.integer(0, HOOKS.length - 1)]?.(first, second)}. Also ${rest.join(", ")}.`,
    hashtags: random.sample(words, 2),
    date_published: new Date(END - random.integer(1, 900) * DAY_MS).toISOString().slice(0, 10),
    metrics: {
      views,
      likes: Math.round(views * random.next() * 0.15),
      comments: random.next() < 0.9 ? Math.round(views * random.next() * 0.02) : null,
      shares: platform === "threads" ? null : Math.round(views * random.next() * 0.02),
      bookmarks: platform === "tiktok" ? Math.round(views * random.next() * 0.03) : null,
    },
    slide_count: slides,
    preview_image_url: images[0] ?? `${PICTURE_HOST}/${id}/cover.jpg`,
    image_urls: images,
    video_url: slides || platform === "youtube" ? null : `https://clips.example/${id}.mp4`,
    hook_text: HOOKS[random.integer(0, HOOKS.length - 1)]?.(second, first) ?? null,
    hook_analysis:
      random.next() < 0.7 ? { content_class: "tips", format_template: "a to b", psychology_tags: ["curiosity"] } : null,
    search_summary: `About ${[second, first, ...rest].join(" and ")}.`,
    niche: bilingual ? null : topic.name,
    topics: words.slice(0, 2),
    search_keywords: rest.slice(0, 3),
    ad_signal:
      checked && random.next() < 0.2 ? { status: random.next() < 0.5 ? "ad" : "likely_ad", reason: "label" } : null,
    creator_sponsored: random.next() < 0.5 ? random.next() < 0.2 : null,
    language: bilingual ? "mul" : random.next() < 0.95 ? "en" : null,
    slide_texts: slides ? images.map((_, slide) => `${slide + 1}. ${words[slide % words.length]}`) : null,
    transcript: slides ? null : { language: bilingual ? "mul" : "en", segments },
  };
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
