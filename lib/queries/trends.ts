// Observed videos: what arrived from imports, and the figures of a trend brief in one statement.
import { sql } from "drizzle-orm";
import type { observedVideos } from "../../drizzle/schema/trends.ts";
import { type Db, rowsOf } from "../db.ts";
import type { TrendBrief } from "../schemas/trends.ts";

export type ObservedVideo = Omit<typeof observedVideos.$inferInsert, "words">;

/** What is looked for: as words in order-free text, as a hashtag, and in scripts without spaces as a piece of text. */
export interface Sought {
  platform: string;
  keyword: string;
  hashtag: string;
  piece: string | null;
  since: Date;
  until: Date;
}

export type Figures = Pick<TrendBrief, "summary" | "evidence">;

const MATCHES_AT_MOST = 2000;
/** How many of the most seen videos stand in when none matches. */
const UNRELATED_AT_MOST = 200;
const SAMPLES_AT_MOST = 30;

/** Matches alone when there are any, else the most seen videos of the platform. */
export async function figures(db: Db, { platform, keyword, hashtag, piece, since, until }: Sought): Promise<Figures> {
  const inRange = sql`platform = ${platform} and published_at between ${since.toISOString()} and ${until.toISOString()}`;
  const result = await db.execute(sql`
    with matched as materialized (
      select * from observed_videos
      where ${inRange} and (
        words @@ plainto_tsquery('simple', ${keyword})
        or hashtags @> array[${hashtag}]::text[]
        or (${piece}::text is not null and position(${piece}::text in search_text) > 0)
      )
      order by views desc, video_id limit ${MATCHES_AT_MOST}
    ), unrelated as materialized (
      select * from observed_videos
      where ${inRange} and not exists (select from matched)
      order by views desc, video_id limit ${UNRELATED_AT_MOST}
    ), chosen as materialized (
      select * from matched union all select * from unrelated
    )
    select json_build_object(
      'analyzed_video_count', (select count(*) from chosen),
      'top_hashtags', (select coalesce(json_agg(t), '[]') from (
        select hashtag, count(*) as videos_count, round(avg(views)) as avg_views
        from chosen, unnest(hashtags) hashtag
        group by hashtag order by videos_count desc, avg_views desc, hashtag limit 15) t),
      'top_sounds', (select coalesce(json_agg(t), '[]') from (
        select sound_id, coalesce(max(sound_name), '') as sound_name, count(*) as usage_count,
          round(avg(views)) as avg_views, max(sound_sample_url) as sample_url
        from chosen where sound_id is not null
        group by sound_id order by usage_count desc, avg_views desc, sound_id limit 10) t),
      'top_creators', (select coalesce(json_agg(t), '[]') from (
        select author_handle as handle, count(*) as videos_count, sum(views) as total_views,
          round(avg(views)) as avg_views, (array_agg(url order by views desc, video_id))[1] as top_video_url
        from chosen group by author_handle order by total_views desc, handle limit 10) t),
      'posting_windows_utc', (select coalesce(json_agg(t), '[]') from (
        select extract(dow from published_at at time zone 'UTC')::int as day_of_week_utc,
          extract(hour from published_at at time zone 'UTC')::int as hour_utc,
          count(*) as videos_count, round(avg(views)) as avg_views
        from chosen group by 1, 2 order by videos_count desc, avg_views desc, 1, 2 limit 10) t)
    ) as summary, (select coalesce(json_agg(t), '[]') from (
      select video_id, url, views, likes, comments, shares, caption, hashtags, sound_id, sound_name, author_handle,
        published_at
      from chosen order by views desc, video_id limit ${SAMPLES_AT_MOST}) t) as samples`);
  const [row] = rowsOf<{ summary: Figures["summary"]; samples: Figures["evidence"]["sample_videos"] }>(result);
  if (!row) throw new Error("an aggregate without a row");
  return { summary: row.summary, evidence: { sample_videos: row.samples } };
}

/** Inserts, or brings figures up to date: an observation of the same video replaces the earlier one. */
export function upsert(db: Db, videos: ObservedVideo[]) {
  const renewed = ["url", "caption", "hashtags", "sound_id", "sound_name", "sound_sample_url", "author_handle", "views"]
    .concat("likes", "comments", "shares", "published_at", "search_text")
    .map((column) => sql`${sql.identifier(column)} = excluded.${sql.identifier(column)}`);
  return db.execute(
    sql`${sql`
    insert into observed_videos (platform, video_id, url, caption, hashtags, sound_id, sound_name, sound_sample_url,
      author_handle, views, likes, comments, shares, published_at, search_text)
    select * from jsonb_to_recordset(${JSON.stringify(videos.map(columnsOf))}::jsonb) as v(platform text, video_id text,
      url text, caption text, hashtags text[], sound_id text, sound_name text, sound_sample_url text,
      author_handle text, views bigint, likes bigint, comments bigint, shares bigint, published_at timestamptz,
      search_text text)
    on conflict (platform, video_id) do update set `}${sql.join(renewed, sql`, `)}`,
  );
}

function columnsOf(video: ObservedVideo) {
  return {
    ...video,
    video_id: video.videoId,
    sound_id: video.soundId ?? null,
    sound_name: video.soundName ?? null,
    sound_sample_url: video.soundSampleUrl ?? null,
    author_handle: video.authorHandle,
    published_at: video.publishedAt.toISOString(),
    search_text: video.searchText,
  };
}
