// Viral posts, as one JSON object a line, and the vectors that they are found by.
import * as z from "zod";
import type { Db } from "../../lib/db.ts";
import * as viral from "../../lib/queries/viral-imports.ts";
import { WebUrl } from "../../lib/schemas/common.ts";
import {
  AdSignal,
  BUSINESS_TYPES,
  CATEGORIES,
  CONTENT_TYPES,
  Day,
  HookAnalysis,
  Language,
  ProductApp,
  VIRAL_PLATFORMS,
} from "../../lib/schemas/viral.ts";
import type { Embedder } from "../../lib/search/embedder.ts";
import { sha256Hex } from "../../lib/secrets.ts";
import type { Kind } from "./run.ts";

/** Posts pass this many views to be in the library. */
const VIEWS_PASSED = 10_000;

const Text = (most: number) => z.string().max(most);
/** What is blank says nothing: it is absent, as answers have it. */
const said = (text: string) => (text.trim() === "" ? null : text);
/** What is looked for by its parts is written one way. */
const name = (text: string) => said(text.trim().normalize("NFC"));
const Said = (most: number) => Text(most).transform(said).nullish();
const Metric = z.int().min(0).nullish();
const Texts = z.array(Text(300)).max(100).default([]);

const Segment = z
  .strictObject({ start_ms: z.int().min(0), end_ms: z.int().min(0), text: Text(5000) })
  .refine(({ start_ms: start, end_ms: end }) => end >= start, {
    path: ["end_ms"],
    message: "Must not lie before start_ms.",
  });

export const ViralLine = z
  .strictObject({
    platform: z.enum(VIRAL_PLATFORMS),
    id: Text(100).regex(/^[\w.-]+$/, "Must be of letters, digits, '_', '.' and '-'."),
    content_type: z.enum(CONTENT_TYPES),
    link: WebUrl,
    category: z.enum(CATEGORIES),
    business_type: z.enum(BUSINESS_TYPES).default("unclassified"),
    product_name: Text(200).transform(name).nullish(),
    product_website: WebUrl.nullish(),
    product_app: z
      .strictObject(ProductApp.shape)
      .refine(({ store, app_id: id }) => store !== "apple" || /^\d{1,20}$/.test(id), {
        path: ["app_id"],
        message: "Must be the numeric id of the app, such as 284882215.",
      })
      .nullish(),
    account: Text(100)
      .transform((handle) => name(handle.trim().replace(/^@/, "")))
      .nullish(),
    caption: Said(10_000),
    hashtags: Texts,
    date_published: Day,
    metrics: z.strictObject({ views: Metric, likes: Metric, comments: Metric, shares: Metric, bookmarks: Metric }),
    slide_count: z.int().min(0).max(1000).nullish(),
    preview_image_url: WebUrl.nullish(),
    image_urls: z.array(WebUrl).max(100).default([]),
    video_url: WebUrl.nullish(),
    hook_text: Said(1000),
    hook_analysis: z.strictObject(HookAnalysis.shape).nullish(),
    search_summary: Said(5000),
    niche: Said(200),
    topics: Texts,
    search_keywords: Texts,
    ad_signal: z.strictObject(AdSignal.shape).nullish(),
    creator_sponsored: z.boolean().nullish(),
    language: Language.nullish(),
    slide_texts: z.array(Text(5000)).max(100).nullish(),
    transcript: z
      .strictObject({
        language: Language.nullish(),
        segments: z.array(Segment),
      })
      .nullish(),
  })
  .superRefine(({ platform, metrics, ad_signal: signal, video_url: video }, context) => {
    const refuse = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
    if (typeof metrics.views === "number" && metrics.views <= VIEWS_PASSED) {
      refuse(["metrics", "views"], `Must be over ${VIEWS_PASSED}: the library holds posts that passed it.`);
    }
    if (signal && platform !== "tiktok") refuse(["ad_signal"], "Only tiktok posts are checked for paid reach.");
    if (video && platform === "youtube") refuse(["video_url"], "Clips of youtube are not playable: leave it out.");
  });
type ViralLine = z.output<typeof ViralLine>;

const TRIES = 4;

/** Embeds what is new or changed; the rest keeps its vector. */
export function viralKind(embedder: Embedder, wait: (ms: number) => Promise<void>): Kind<ViralLine> {
  return {
    name: "viral",
    line: ViralLine,
    // Each row takes its place in the index of vectors, which is slow; others want the database meanwhile.
    linesPerStep: 100,
    keyOf: idOf,
    async store(db, lines) {
      const vectors = await vectorsOf(db, embedder, lines, wait);
      return [
        viral.upsert(
          db,
          lines.map((line) => ({ ...rowFrom(line), ...vectors.get(idOf(line)) })),
        ),
      ];
    },
  };
}

interface Vector {
  embedded_from: string;
  embedding: string;
}

async function vectorsOf(
  db: Db,
  embedder: Embedder,
  lines: ViralLine[],
  wait: (ms: number) => Promise<void>,
): Promise<Map<string, Vector>> {
  const wanted = lines.map((line) => {
    const text = meaningOf(line);
    return { id: idOf(line), text, from: sha256Hex(`${embedder.model}\n${text}`) };
  });
  const known = await viral.embeddedFrom(
    db,
    wanted.map(({ id }) => id),
  );
  const missing = wanted.filter(({ id, from }) => known.get(id) !== from);
  const vectors = new Map<string, Vector>();
  if (missing.length === 0) return vectors;
  const made = await retried(() => embedder.embed(missing.map(({ text }) => text)), wait);
  for (const [at, { id, from }] of missing.entries()) {
    vectors.set(id, { embedded_from: from, embedding: JSON.stringify(made[at]) });
  }
  return vectors;
}

async function retried<Value>(work: () => Promise<Value>, wait: (ms: number) => Promise<void>): Promise<Value> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES) throw error;
      await wait(500 * 2 ** tries);
    }
  }
}

/** What a post is about, in the words of its makers and of those who described it. */
function meaningOf(line: ViralLine): string {
  const parts = [
    line.search_summary,
    line.hook_text,
    line.niche,
    line.topics.join(", "),
    line.search_keywords.join(", "),
  ];
  return [...parts, line.product_name, line.caption].filter(Boolean).join("\n").slice(0, 2000);
}

function idOf({ platform, id }: ViralLine): string {
  return `${platform}_${id}`;
}

function rowFrom(line: ViralLine): viral.ImportedPost {
  const { metrics, transcript, ...rest } = line;
  return {
    ...rest,
    ...metrics,
    id: idOf(line),
    hashtags: line.hashtags.map((tag) => tag.trim().replace(/^#/, "")).filter((tag) => tag !== ""),
    transcript: transcript
      ? {
          language: transcript.language ?? null,
          text: transcript.segments.map(({ text }) => text).join(" "),
          segments: transcript.segments,
        }
      : null,
  };
}
