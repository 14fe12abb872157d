// The trend brief of a keyword: computed once per platform, keyword and range, then cached for three hours.

import { computeBriefFigures } from "../queries/trends.ts";
import type { RANGES, TrendBrief } from "../schemas/trends.ts";
import type { ReadContext } from "../services/context.ts";
import { type RedisLock, readOrLock } from "../services/redis-lock.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { HOUR_MS } from "../shared/durations.ts";
import { needsSubstringSearch, toHashtag, toSearchText } from "../shared/keyword.ts";
import { toResult, unwrap } from "../shared/result.ts";
import { pause } from "../shared/retry.ts";
import { buildHookAngles } from "./hooks.ts";

type Context = Pick<ReadContext, "db" | "redis" | "now" | "waitUntil" | "log">;

interface BriefRequest {
  platform: "tiktok";
  keyword: string;
  range: (typeof RANGES)[number];
}

const RANGE_HOURS: Record<BriefRequest["range"], number> = { "24h": 24, "7d": 7 * 24, "30d": 30 * 24 };
const CACHE_SECONDS = 3 * 60 * 60;
/** With the version of the cached shape: an earlier deployment's briefs lack fields. */
const CACHE_PREFIX = "brief:2";
/** After this time another request takes over a brief that one is computing. */
const LOCK_MS = 5_000;
const POLL_INTERVAL_MS = 100;

const RECOMMENDED_HASHTAGS = 10;
const RECOMMENDED_SOUNDS = 5;

export async function getTrendBrief(context: Context, request: BriefRequest): Promise<TrendBrief> {
  const name = `${CACHE_PREFIX}:${request.platform}:${request.range}:${sha256Hex(request.keyword)}`;
  let lock: RedisLock | null = null;
  for (let waited = 0; waited < LOCK_MS && !lock; waited += POLL_INTERVAL_MS) {
    if (waited > 0) await pause(POLL_INTERVAL_MS);
    const found = await readOrLock(context, `${name}:filling`, LOCK_MS, name);
    if (found && "stored" in found) return JSON.parse(found.stored.slice("text:".length));
    lock = found?.lock ?? null;
  }
  const computed = await toResult(computeBrief(context, request));
  context.waitUntil(Promise.all([computed.ok ? storeBrief(context, name, computed.value) : null, lock?.release()]));
  return unwrap(computed);
}

/** In one request with the release of the lock. The prefix prevents the client from parsing the JSON. */
function storeBrief({ redis }: Context, name: string, brief: TrendBrief): Promise<unknown> {
  return redis.set(name, `text:${JSON.stringify(brief)}`, { ex: CACHE_SECONDS });
}

async function computeBrief({ db, now }: Context, { platform, keyword, range }: BriefRequest): Promise<TrendBrief> {
  const since = new Date(now.getTime() - RANGE_HOURS[range] * HOUR_MS);
  const text = toSearchText(keyword);
  const substring = text !== "" && needsSubstringSearch(text) ? text : null;
  const filter = { platform, keyword: text, hashtag: toHashtag(keyword), substring, since, until: now };
  const { summary, evidence } = await computeBriefFigures(db, filter);
  const matches = evidence.sample_videos.filter(({ match }) => match === "keyword");
  const captions = matches.map(({ caption }) => caption);
  return {
    platform,
    keyword,
    range,
    generated_at: now.toISOString(),
    matched: summary.analyzed_video_count,
    summary,
    recommendations: {
      hook_angles: buildHookAngles(captions, keyword),
      hashtags: summary.top_hashtags.slice(0, RECOMMENDED_HASHTAGS).map(({ hashtag }) => `#${hashtag}`),
      sounds: summary.top_sounds
        .slice(0, RECOMMENDED_SOUNDS)
        .map(({ sound_id, sound_name }) => ({ sound_id, sound_name })),
    },
    evidence,
  };
}
