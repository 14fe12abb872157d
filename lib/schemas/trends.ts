// The trend brief: common patterns of short videos about a keyword.
import * as z from "zod";
import { normalizeKeyword } from "../shared/keyword.ts";
import { Instant, wholeNumber } from "./common.ts";

export const RANGES = ["24h", "7d", "30d"] as const;

export const BriefQuery = z.strictObject({
  platform: z.literal("tiktok", "Must be tiktok.").default("tiktok"),
  keyword: z
    .string("Required: a word or phrase, such as skincare.")
    .max(100, "Must be at most 100 characters.")
    .transform(normalizeKeyword)
    .refine((keyword) => keyword !== "", "Must contain at least one character besides # and spaces.")
    .meta({ type: "string" }),
  limit: wholeNumber(1, 30).default(10),
  range: z.enum(RANGES, "Must be 24h, 7d or 30d.").default("7d"),
});

const Average = z.number();

export const TrendBrief = z
  .object({
    platform: z.string(),
    keyword: z.string(),
    range: z.enum(RANGES),
    generated_at: Instant,
    matched: z.int(),
    summary: z.object({
      analyzed_video_count: z.int(),
      top_hashtags: z.array(z.object({ hashtag: z.string(), videos_count: z.int(), avg_views: Average })),
      top_sounds: z.array(
        z.object({
          sound_id: z.string(),
          sound_name: z.string(),
          usage_count: z.int(),
          avg_views: Average,
          sample_url: z.string().nullable(),
        }),
      ),
      top_creators: z.array(
        z.object({
          handle: z.string(),
          videos_count: z.int(),
          total_views: z.int(),
          avg_views: Average,
          top_video_url: z.string(),
        }),
      ),
      posting_windows_utc: z.array(
        z.object({
          day_of_week_utc: z.int(),
          hour_utc: z.int(),
          videos_count: z.int(),
          avg_views: Average,
        }),
      ),
    }),
    recommendations: z.object({
      hook_angles: z.array(z.string()),
      hashtags: z.array(z.string()),
      sounds: z.array(z.object({ sound_id: z.string(), sound_name: z.string() })),
    }),
    evidence: z.object({
      sample_videos: z.array(
        z.object({
          video_id: z.string(),
          url: z.string(),
          views: z.int(),
          likes: z.int(),
          comments: z.int(),
          shares: z.int(),
          caption: z.string(),
          hashtags: z.array(z.string()),
          sound_id: z.string().nullable(),
          sound_name: z.string().nullable(),
          author_handle: z.string(),
          published_at: Instant,
          match: z.enum(["keyword", "broader"]),
        }),
      ),
    }),
  })
  .meta({ id: "TrendBrief" });

export type TrendBrief = z.input<typeof TrendBrief>;
