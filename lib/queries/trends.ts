// Observed videos: inserts of imports, and the figures of a trend brief in one statement.
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { observedVideos as videos } from "../../drizzle/schema/trends.ts";
import type { TrendBrief } from "../schemas/trends.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { columnName, columnNames, excluded, instant, rawCommand, rawQuery, recordSet, textArray } from "./sql.ts";

export type ObservedVideo = Omit<typeof videos.$inferInsert, "words">;

/** The keyword in three forms: as words, as a hashtag, and as a substring in scripts without spaces. */
export interface VideoSearch {
  platform: string;
  keyword: string;
  hashtag: string;
  substring: string | null;
  since: Date;
  until: Date;
}

export type BriefFigures = Pick<TrendBrief, "summary" | "evidence">;

const MAX_MATCHES = 2000;
const MAX_SAMPLES = 30;
/** Words of a keyword that broader videos may contain; the others are too short or too many. */
const MAX_BROADER_WORDS = 8;
const MIN_BROADER_LETTERS = 3;

/** The summary is computed from the rows of `matched`, the samples from both. */
const FIGURES = {
  summary: sql<BriefFigures["summary"]>`json_build_object(
      'analyzed_video_count', (select count(*) from matched),
      'top_hashtags', (select coalesce(json_agg(t), '[]') from (
        select hashtag, count(*) as videos_count, round(avg(views)) as avg_views
        from matched, unnest(hashtags) hashtag
        group by hashtag order by videos_count desc, avg_views desc, hashtag limit 15) t),
      'top_sounds', (select coalesce(json_agg(t), '[]') from (
        select sound_id, coalesce(max(sound_name), '') as sound_name, count(*) as usage_count,
          round(avg(views)) as avg_views, max(sound_sample_url) as sample_url
        from matched where sound_id is not null
        group by sound_id order by usage_count desc, avg_views desc, sound_id limit 10) t),
      'top_creators', (select coalesce(json_agg(t), '[]') from (
        select author_handle as handle, count(*) as videos_count, sum(views) as total_views,
          round(avg(views)) as avg_views, (array_agg(url order by views desc, video_id))[1] as top_video_url
        from matched group by author_handle order by total_views desc, handle limit 10) t),
      'posting_windows_utc', (select coalesce(json_agg(t), '[]') from (
        select extract(dow from published_at at time zone 'UTC')::int as day_of_week_utc,
          extract(hour from published_at at time zone 'UTC')::int as hour_utc,
          count(*) as videos_count, round(avg(views)) as avg_views
        from matched group by 1, 2 order by videos_count desc, avg_views desc, 1, 2 limit 10) t)
    )`,
  samples: sql<BriefFigures["evidence"]["sample_videos"]>`(select coalesce(json_agg(t), '[]') from (
      select video_id, url, views, likes, comments, shares, caption, hashtags, sound_id, sound_name, author_handle,
        published_at, match
      from (select *, 'keyword' as match, 0 as rank from matched union all select *, 'broader', 1 from broader) samples
      order by rank, views desc, video_id limit ${MAX_SAMPLES}) t)`,
};

/** Some words of the keyword instead of all; null for a single word. */
function buildBroaderQuery(keyword: string): SQL | null {
  const all = keyword.split(" ");
  const parts = all.filter((word) => word.length >= MIN_BROADER_LETTERS).slice(0, MAX_BROADER_WORDS);
  if (all.length === 1 || parts.length === 0) return null;
  return sql.join(
    parts.map((word) => sql`plainto_tsquery('simple', ${word})`),
    sql` || `,
  );
}

/** The figures of the matches alone. Behind fewer than a page of them stand videos with some words of the keyword. */
export async function computeBriefFigures(
  db: ReadOnlyDb,
  { platform, keyword, hashtag, substring, since, until }: VideoSearch,
): Promise<BriefFigures> {
  const { platform: network, publishedAt, words, hashtags, searchText, views, videoId } = videos;
  const inRange = sql`${network} = ${platform} and ${publishedAt} between ${instant(since)} and ${instant(until)}`;
  const mostSeen = sql`${views} desc, ${videoId}`;
  const broader = buildBroaderQuery(keyword);
  const [row] = await rawQuery(
    db,
    FIGURES,
    (list) => sql`
    with matched as materialized (
      select * from ${videos}
      where ${inRange} and (
        ${words} @@ plainto_tsquery('simple', ${keyword})
        or ${hashtags} @> ${textArray([hashtag])}
        or (${substring}::text is not null and position(${substring}::text in ${searchText}) > 0)
      )
      order by ${mostSeen} limit ${MAX_MATCHES}
    ), broader as materialized (
      select * from ${videos}
      where ${inRange} and ${broader ? sql`${words} @@ (${broader})` : sql`false`}
        and (select count(*) from matched) between 1 and ${MAX_SAMPLES - 1}
        and ${videoId} not in (select video_id from matched)
      order by ${mostSeen} limit ${MAX_SAMPLES}
    )
    select ${list}`,
  );
  if (!row) throw new Error("the database returned no figures");
  return { summary: row.summary, evidence: { sample_videos: row.samples } };
}

const { words: _, ...OBSERVED } = getTableColumns(videos);

/**
 * Inserts, or updates the figures: an observation of the same video replaces the earlier one. The rows are one
 * parameter, because an import writes a thousand of them at once.
 */
export function upsertVideos(db: Db, observed: ObservedVideo[]) {
  const columns = Object.values(OBSERVED);
  const key = [videos.platform, videos.videoId];
  const replaced = columns.map((column) => sql`${columnName(column)} = ${excluded(column)}`);
  return rawCommand(
    db,
    sql`
      insert into ${videos} (${columnNames(columns)}) select given.* from ${recordSet("given", OBSERVED, observed)}
      on conflict (${columnNames(key)}) do update set ${sql.join(replaced, sql`, `)}`,
  );
}

/** False on a service into which nobody has imported videos. */
export async function hasObservedVideos(db: ReadOnlyDb): Promise<boolean> {
  const [row] = await rawQuery(
    db,
    { found: sql<boolean>`exists (select 1 from ${videos})` },
    (list) => sql`select ${list}`,
  );
  return row?.found ?? false;
}
