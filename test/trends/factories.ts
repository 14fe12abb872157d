// Observed videos for tests, stored as an import stores them.
import { VideoLine, videosImport } from "../../functions/commands/import-videos.ts";
import type { Db } from "../../lib/services/database.ts";
import type { ObservedLine } from "../local/corpus/videos.ts";

export async function storeVideos(db: Db, lines: ObservedLine[]): Promise<void> {
  const [first, ...rest] = await videosImport.store(
    db,
    lines.map((line) => VideoLine.parse(line)),
  );
  if (first) await db.batch([first, ...rest]);
}

let videoCount = 0;

/** A video with defaults for the fields that a test does not set. */
export function buildVideo(fields: Partial<ObservedLine>): ObservedLine {
  videoCount += 1;
  const id = fields.video_id ?? `test-${process.pid}-${videoCount}`;
  return {
    platform: "tiktok",
    video_id: id,
    url: `https://www.tiktok.com/@someone/video/${id}`,
    caption: "nothing in particular",
    hashtags: [],
    sound_id: null,
    sound_name: null,
    sound_sample_url: null,
    author_handle: "someone",
    views: 1000,
    likes: 10,
    comments: 1,
    shares: 2,
    published_at: new Date(Date.now() - 60 * 60 * 1000).toISOString(),
    ...fields,
  };
}
