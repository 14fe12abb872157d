// A made-up viral library: every category and platform, the same on every run. Nothing in it is anybody's post.
import type { z } from "zod";
import type { ViralLine } from "../../../drizzle/imports/viral.ts";
import { type Chance, chance } from "./random.ts";
import { TOPICS, type Topic } from "./topics.ts";

export type ViralPostLine = z.input<typeof ViralLine>;

const PLATFORMS = ["tiktok", "tiktok", "instagram", "threads", "youtube"] as const;
const BUSINESSES = ["app", "ecommerce", "saas", "service", "affiliate", "creator", "game", "book", "other"] as const;
const DAY_MS = 24 * 60 * 60 * 1000;
/** The day after the newest post. */
const END = Date.UTC(2026, 5, 30);
/** One post in so many is bilingual: what teaches that two words mean the same. */
const BILINGUAL_EACH = 5;
/** One post in so many brings in a second subject, as people do; without them each subject would be an island. */
const CROSSING_EACH = 4;

const HOOKS: ((a: string, b: string) => string)[] = [
  (a, b) => `What ${a} taught me about ${b}`,
  (a, b) => `Start with ${a}, end with ${b}`,
  (a, b) => `The ${a} and ${b} rule`,
  (a, b) => `Why my ${a} needed ${b}`,
  (a, b) => `From ${a} to ${b} in a week`,
  (a, b) => `Less ${a}, more ${b}`,
];

export function* viralPosts({ count, seed }: { count: number; seed: number }): Generator<ViralPostLine> {
  const of = chance(seed);
  for (let at = 0; at < count; at++) {
    const topic = TOPICS[at % TOPICS.length];
    if (topic) yield post(topic, `v${seed}x${at}`, of.next() < 1 / BILINGUAL_EACH, of);
  }
}

function post(topic: Topic, id: string, bilingual: boolean, of: Chance): ViralPostLine {
  const platform = of.one(PLATFORMS);
  const slides = of.next() < 0.5 ? of.whole(3, 12) : null;
  const crossed = of.next() < 1 / CROSSING_EACH ? of.some(of.one(TOPICS).words, 2) : [];
  const words = [...of.some(topic.words, 5 - crossed.length), ...crossed];
  const [first = "", second = "", ...rest] = bilingual ? [...words.slice(0, 3), ...of.some(topic.other, 3)] : words;
  const views = 10_001 + of.skewed(60_000);
  const account = `${topic.name.replaceAll(" ", ".")}.${of.whole(1, 40)}`;
  const checked = platform === "tiktok" && of.next() < 0.6;
  const images = Array.from({ length: slides ?? 0 }, (_, slide) => `https://pictures.example/${id}/${slide + 1}.jpg`);
  const segments = [first, second, ...rest].map((word, part) => ({
    start_ms: part * 1500,
    end_ms: part * 1500 + 1400,
    text: `Here is ${word}.`,
  }));
  return {
    platform,
    id,
    content_type: slides ? (of.next() < 0.1 ? "mixed" : "slideshow") : "video",
    link: `https://${platform}.example/@${account}/${id}`,
    category: topic.category as ViralPostLine["category"],
    business_type: of.next() < 0.2 ? "unclassified" : of.one(BUSINESSES),
    product_name: of.next() < 0.3 ? `${capital(first)}ly` : null,
    product_app:
      of.next() < 0.15 ? { store: "apple", app_id: String(of.whole(1000, 1400)), name: `${capital(first)}ly` } : null,
    account,
    caption: `${HOOKS[of.whole(0, HOOKS.length - 1)]?.(first, second)}. Also ${rest.join(", ")}.`,
    hashtags: of.some(words, 2),
    date_published: new Date(END - of.whole(1, 900) * DAY_MS).toISOString().slice(0, 10),
    metrics: {
      views,
      likes: Math.round(views * of.next() * 0.15),
      comments: of.next() < 0.9 ? Math.round(views * of.next() * 0.02) : null,
      shares: platform === "threads" ? null : Math.round(views * of.next() * 0.02),
      bookmarks: platform === "tiktok" ? Math.round(views * of.next() * 0.03) : null,
    },
    slide_count: slides,
    preview_image_url: images[0] ?? `https://pictures.example/${id}/cover.jpg`,
    image_urls: images,
    video_url: slides || platform === "youtube" ? null : `https://clips.example/${id}.mp4`,
    hook_text: HOOKS[of.whole(0, HOOKS.length - 1)]?.(second, first) ?? null,
    hook_analysis:
      of.next() < 0.7 ? { content_class: "tips", format_template: "a to b", psychology_tags: ["curiosity"] } : null,
    search_summary: `About ${[second, first, ...rest].join(" and ")}.`,
    niche: bilingual ? null : topic.name,
    topics: words.slice(0, 2),
    search_keywords: rest.slice(0, 3),
    ad_signal: checked && of.next() < 0.2 ? { status: of.next() < 0.5 ? "ad" : "likely_ad", reason: "label" } : null,
    creator_sponsored: of.next() < 0.5 ? of.next() < 0.2 : null,
    language: bilingual ? "mul" : of.next() < 0.95 ? "en" : null,
    slide_texts: slides ? images.map((_, slide) => `${slide + 1}. ${words[slide % words.length]}`) : null,
    transcript: slides ? null : { language: bilingual ? "mul" : "en", segments },
  };
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
