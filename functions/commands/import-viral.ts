// The import of viral posts, with their embeddings.
import * as z from "zod";
import type { Embedder } from "../../lib/ai/embeddings.ts";
import { findEmbeddingSources, type ImportedPost, upsertViralPosts } from "../../lib/queries/viral-imports.ts";
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
import type { Db } from "../../lib/services/database.ts";
import { sha256Hex } from "../../lib/shared/crypto.ts";
import type { ImportKind } from "./import-jsonl.ts";

/** Posts in the library have more views than this. */
const MIN_VIEWS = 10_000;

const Text = (most: number) => z.string().max(most);
/** Blank text is stored as null. */
const blankToNull = (text: string) => (text.trim() === "" ? null : text);
/** Names are searched by substring, so they are normalized. */
const normalizeName = (text: string) => blankToNull(text.trim().normalize("NFC"));
const OptionalText = (most: number) => Text(most).transform(blankToNull).nullish();
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
    product_name: Text(200).transform(normalizeName).nullish(),
    product_website: WebUrl.nullish(),
    product_app: z
      .strictObject(ProductApp.shape)
      .refine(({ store, app_id: id }) => store !== "apple" || /^\d{1,20}$/.test(id), {
        path: ["app_id"],
        message: "Must be the numeric id of the app, such as 284882215.",
      })
      .nullish(),
    account: Text(100)
      .transform((handle) => normalizeName(handle.trim().replace(/^@/, "")))
      .nullish(),
    caption: OptionalText(10_000),
    hashtags: Texts,
    date_published: Day,
    metrics: z.strictObject({ views: Metric, likes: Metric, comments: Metric, shares: Metric, bookmarks: Metric }),
    slide_count: z.int().min(0).max(1000).nullish(),
    preview_image_url: WebUrl.nullish(),
    image_urls: z.array(WebUrl).max(100).default([]),
    video_url: WebUrl.nullish(),
    hook_text: OptionalText(1000),
    hook_analysis: z.strictObject(HookAnalysis.shape).nullish(),
    search_summary: OptionalText(5000),
    niche: OptionalText(200),
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
    const addIssue = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
    if (typeof metrics.views === "number" && metrics.views <= MIN_VIEWS) {
      addIssue(["metrics", "views"], `Must be greater than ${MIN_VIEWS}: the library holds viral posts only.`);
    }
    if (signal && platform !== "tiktok")
      addIssue(["ad_signal"], "Must be omitted: only tiktok posts are checked for paid reach.");
    if (video && platform === "youtube")
      addIssue(["video_url"], "Must be omitted for youtube: its clips are not playable.");
  });
type ViralLine = z.output<typeof ViralLine>;

const MAX_ATTEMPTS = 4;

/** Embeds new and changed posts only. */
export function createViralImport(embedder: Embedder, wait: (ms: number) => Promise<void>): ImportKind<ViralLine> {
  return {
    name: "viral",
    line: ViralLine,
    // Small, because inserting into the vector index is slow and other clients use the database meanwhile.
    linesPerTransaction: 100,
    keyOf: toId,
    async store(db, lines) {
      const vectors = await embedLines(db, embedder, lines, wait);
      return [
        upsertViralPosts(
          db,
          lines.map((line) => ({ ...toRow(line), ...vectors.get(toId(line)) })),
        ),
      ];
    },
  };
}

interface Vector {
  embedded_from: string;
  embedding: string;
}

async function embedLines(
  db: Db,
  embedder: Embedder,
  lines: ViralLine[],
  wait: (ms: number) => Promise<void>,
): Promise<Map<string, Vector>> {
  const requested = lines.map((line) => {
    const text = toEmbeddingText(line);
    return { id: toId(line), text, from: sha256Hex(`${embedder.model}\n${text}`) };
  });
  const stored = await findEmbeddingSources(
    db,
    requested.map(({ id }) => id),
  );
  const missing = requested.filter(({ id, from }) => stored.get(id) !== from);
  const vectors = new Map<string, Vector>();
  if (missing.length === 0) return vectors;
  const embeddings = await withRetries(() => embedder.embed(missing.map(({ text }) => text)), wait);
  for (const [at, { id, from }] of missing.entries()) {
    vectors.set(id, { embedded_from: from, embedding: JSON.stringify(embeddings[at]) });
  }
  return vectors;
}

async function withRetries<Value>(work: () => Promise<Value>, wait: (ms: number) => Promise<void>): Promise<Value> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === MAX_ATTEMPTS) throw error;
      await wait(500 * 2 ** tries);
    }
  }
}

/** The text that is embedded: description, hook, niche, topics, keywords, product and caption. */
export function toEmbeddingText(line: ViralLine): string {
  const parts = [
    line.search_summary,
    line.hook_text,
    line.niche,
    line.topics.join(", "),
    line.search_keywords.join(", "),
  ];
  return [...parts, line.product_name, line.caption].filter(Boolean).join("\n").slice(0, 2000);
}

function toId({ platform, id }: ViralLine): string {
  return `${platform}_${id}`;
}

function toRow(line: ViralLine): ImportedPost {
  const { metrics, transcript, ...rest } = line;
  return {
    ...rest,
    ...metrics,
    id: toId(line),
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
