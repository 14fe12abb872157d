// The import of observed videos.
import * as z from "zod";
import { type ObservedVideo, upsertVideos } from "../../lib/queries/trends.ts";
import { InstantInput, WebUrl } from "../../lib/schemas/common.ts";
import { normalizeKeyword, toSearchText } from "../../lib/shared/keyword.ts";
import type { ImportKind } from "./import-jsonl.ts";

/** Sums of thousands of counts stay exact integers. */
const Count = z.int().min(0).max(1_000_000_000_000);
const Text = (most: number) => z.string().max(most);

export const VideoLine = z.strictObject({
  platform: z.enum(["tiktok"]),
  video_id: Text(100).min(1),
  url: WebUrl,
  caption: Text(5000),
  hashtags: z.array(Text(100)).max(100),
  sound_id: Text(100).min(1).nullish(),
  sound_name: Text(300).nullish(),
  sound_sample_url: WebUrl.nullish(),
  author_handle: Text(100).regex(/[^@\s]/, "Must name the author, such as ann or @ann."),
  views: Count,
  likes: Count,
  comments: Count,
  shares: Count,
  published_at: InstantInput,
});
type VideoLine = z.output<typeof VideoLine>;

export const videosImport: ImportKind<VideoLine> = {
  name: "videos",
  line: VideoLine,
  linesPerTransaction: 500,
  keyOf: (line) => `${line.platform} ${line.video_id}`,
  store: async (db, lines) => [upsertVideos(db, lines.map(toRow))],
};

function toRow(line: VideoLine): ObservedVideo {
  const hashtags = [...new Set(line.hashtags.map(normalizeKeyword))].filter((tag) => tag !== "");
  return {
    platform: line.platform,
    videoId: line.video_id,
    url: line.url,
    caption: line.caption,
    hashtags,
    soundId: line.sound_id ?? null,
    soundName: line.sound_name ?? null,
    soundSampleUrl: line.sound_sample_url ?? null,
    authorHandle: line.author_handle.trim().replace(/^@/, ""),
    views: line.views,
    likes: line.likes,
    comments: line.comments,
    shares: line.shares,
    publishedAt: line.published_at,
    searchText: toSearchText([line.caption, ...hashtags, line.sound_name ?? ""].join(" ")),
  };
}
