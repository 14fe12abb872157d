// Observed videos for tests: stored the way an import stores them.
import { VideoLine, videos } from "../../drizzle/imports/videos.ts";
import type { Db } from "../../lib/db.ts";
import type { ObservedLine } from "../local/corpus/videos.ts";

export async function storeVideos(db: Db, lines: ObservedLine[]): Promise<void> {
  const [first, ...rest] = await videos.store(
    db,
    lines.map((line) => VideoLine.parse(line)),
  );
  if (first) await db.batch([first, ...rest]);
}

let made = 0;

/** A video with the fields that matter to a test. */
export function video(fields: Partial<ObservedLine>): ObservedLine {
  made += 1;
  const id = fields.video_id ?? `test-${process.pid}-${made}`;
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
