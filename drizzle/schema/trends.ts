// Observed short videos, from which trend briefs are computed.
import { sql } from "drizzle-orm";
import { bigint, customType, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant, updatedAt } from "./columns.ts";

const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });

export const observedVideos = pgTable(
  "observed_videos",
  {
    platform: text("platform", { enum: ["tiktok"] }).notNull(),
    videoId: text("video_id").notNull(),
    url: text("url").notNull(),
    caption: text("caption").notNull(),
    /** Normalised as keywords are, without `#`. */
    hashtags: text("hashtags").array().notNull(),
    soundId: text("sound_id"),
    soundName: text("sound_name"),
    soundSampleUrl: text("sound_sample_url"),
    authorHandle: text("author_handle").notNull(),
    views: bigint("views", { mode: "number" }).notNull(),
    likes: bigint("likes", { mode: "number" }).notNull(),
    comments: bigint("comments", { mode: "number" }).notNull(),
    shares: bigint("shares", { mode: "number" }).notNull(),
    publishedAt: instant("published_at").notNull(),
    /** Caption, hashtags and sound, normalised as keywords are. */
    searchText: text("search_text").notNull(),
    words: tsvector("words").notNull().generatedAlwaysAs(sql`to_tsvector('simple', search_text)`),
  },
  (table) => [
    primaryKey({ columns: [table.platform, table.videoId] }),
    index("observed_videos_newest").on(table.platform, table.publishedAt),
    index("observed_videos_words").using("gin", table.words),
    index("observed_videos_hashtags").using("gin", table.hashtags),
  ],
);

/** Progress of each import file, so that an interrupted import resumes. */
export const imports = pgTable(
  "imports",
  {
    kind: text("kind").notNull(),
    /** SHA-256 of the file. */
    fingerprint: text("fingerprint").notNull(),
    lines: integer("lines").notNull(),
    stored: integer("stored").notNull(),
    rejected: integer("refused").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.fingerprint] })],
);
