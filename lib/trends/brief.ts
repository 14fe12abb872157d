// The trend brief of a keyword: computed once per platform, keyword and range, then cached for three hours.

import * as trends from "../queries/trends.ts";
import type { RANGES, TrendBrief } from "../schemas/trends.ts";
import type { ReadContext } from "../services/context.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { formatError } from "../shared/format-error.ts";
import { needsSubstringSearch, toHashtag, toSearchText } from "../shared/keyword.ts";
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
/** How long one request may hold the claim to compute the brief before another takes over. */
const CLAIM_MS = 5_000;
const POLL_INTERVAL_MS = 100;

const RECOMMENDED_HASHTAGS = 10;
const RECOMMENDED_SOUNDS = 5;

/** Reads the cached brief or claims its computation, in one round trip. */
const GET_OR_CLAIM_SCRIPT = `
local cached = redis.call('GET', KEYS[1])
if cached then return {'cached', cached} end
if redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[1]) then return {'claimed', ''} end
return {'pending', ''}
`;

export async function getTrendBrief(context: Context, request: BriefRequest): Promise<TrendBrief> {
  const name = `${CACHE_PREFIX}:${request.platform}:${request.range}:${sha256Hex(request.keyword)}`;
  for (let waited = 0; waited < CLAIM_MS; waited += POLL_INTERVAL_MS) {
    const [state, cached] = await readOrClaim(context, name);
    if (state === "cached") return JSON.parse(cached.slice("text:".length));
    if (state !== "pending") break;
    await new Promise((resume) => setTimeout(resume, POLL_INTERVAL_MS));
  }
  const brief = await computeBrief(context, request).catch((error) => {
    context.waitUntil(releaseClaim(context, name));
    throw error;
  });
  context.waitUntil(storeBrief(context, name, brief));
  return brief;
}

/** When the cache is unavailable, the brief is computed without it. */
async function readOrClaim({ redis, log }: Context, name: string): Promise<[state: string, cached: string]> {
  try {
    return await redis.eval<string[], [string, string]>(
      GET_OR_CLAIM_SCRIPT,
      [name, `${name}:filling`],
      [String(CLAIM_MS)],
    );
  } catch (error) {
    log({ level: "error", error: formatError(error) });
    return ["unavailable", ""];
  }
}

async function storeBrief({ redis, log }: Context, name: string, brief: TrendBrief): Promise<void> {
  try {
    // The prefix prevents the client from parsing the JSON.
    const pipeline = redis.pipeline().set(name, `text:${JSON.stringify(brief)}`, { ex: CACHE_SECONDS });
    await pipeline.del(`${name}:filling`).exec();
  } catch (error) {
    log({ level: "error", error: formatError(error) });
  }
}

/** Lets waiting requests claim the computation after a failure. */
async function releaseClaim({ redis, log }: Context, name: string): Promise<void> {
  await redis.del(`${name}:filling`).catch((error) => log({ level: "error", error: formatError(error) }));
}

async function computeBrief({ db, now }: Context, { platform, keyword, range }: BriefRequest): Promise<TrendBrief> {
  const since = new Date(now.getTime() - RANGE_HOURS[range] * 60 * 60 * 1000);
  const text = toSearchText(keyword);
  const substring = text !== "" && needsSubstringSearch(text) ? text : null;
  const filter = { platform, keyword: text, hashtag: toHashtag(keyword), substring, since, until: now };
  const { summary, evidence } = await trends.computeFigures(db, filter);
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
