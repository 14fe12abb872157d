// The trend brief of a keyword: computed once per three hours and platform, keyword and range, whoever asks.
import type { Call } from "../call.ts";
import { describeError } from "../describe-error.ts";
import * as trends from "../queries/trends.ts";
import type { RANGES, TrendBrief } from "../schemas/trends.ts";
import { sha256Hex } from "../secrets.ts";
import { hookAngles } from "./hooks.ts";
import { asHashtag, isPiece, searchable } from "./keyword.ts";

type Io = Pick<Call, "db" | "redis" | "now" | "after" | "log">;

interface Asked {
  platform: "tiktok";
  keyword: string;
  range: (typeof RANGES)[number];
}

const HOURS: Record<Asked["range"], number> = { "24h": 24, "7d": 7 * 24, "30d": 30 * 24 };
const KEPT_SECONDS = 3 * 60 * 60;
/** How long one request may take to fill the cache before another does. */
const FILLING_MS = 5_000;
const LOOK_AGAIN_MS = 100;

const RECOMMENDED_HASHTAGS = 10;
const RECOMMENDED_SOUNDS = 5;

/** The cached brief, or whether it is the caller's to make: one round trip. */
const GET_OR_CLAIM = `
local kept = redis.call('GET', KEYS[1])
if kept then return {'kept', kept} end
if redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[1]) then return {'mine', ''} end
return {'awaited', ''}
`;

export async function brief(io: Io, asked: Asked): Promise<TrendBrief> {
  const name = `brief:${asked.platform}:${asked.range}:${sha256Hex(asked.keyword)}`;
  for (let waited = 0; waited < FILLING_MS; waited += LOOK_AGAIN_MS) {
    const [state, kept] = await look(io, name);
    if (state === "kept") return JSON.parse(kept.slice("text:".length));
    if (state !== "awaited") break;
    await new Promise((resume) => setTimeout(resume, LOOK_AGAIN_MS));
  }
  const made = await compute(io, asked).catch((error) => {
    io.after(letGo(io, name));
    throw error;
  });
  io.after(keep(io, name, made));
  return made;
}

/** A cache that does not answer costs time, not the brief. */
async function look({ redis, log }: Io, name: string): Promise<[state: string, kept: string]> {
  try {
    return await redis.eval<string[], [string, string]>(GET_OR_CLAIM, [name, `${name}:filling`], [String(FILLING_MS)]);
  } catch (error) {
    log({ level: "error", error: describeError(error) });
    return ["away", ""];
  }
}

async function keep({ redis, log }: Io, name: string, made: TrendBrief): Promise<void> {
  try {
    // The prefix keeps the client from parsing it.
    const pipeline = redis.pipeline().set(name, `text:${JSON.stringify(made)}`, { ex: KEPT_SECONDS });
    await pipeline.del(`${name}:filling`).exec();
  } catch (error) {
    log({ level: "error", error: describeError(error) });
  }
}

/** Whoever waits for a brief that failed need not wait on. */
async function letGo({ redis, log }: Io, name: string): Promise<void> {
  await redis.del(`${name}:filling`).catch((error) => log({ level: "error", error: describeError(error) }));
}

async function compute({ db, now }: Io, { platform, keyword, range }: Asked): Promise<TrendBrief> {
  const since = new Date(now.getTime() - HOURS[range] * 60 * 60 * 1000);
  const text = searchable(keyword);
  const piece = text !== "" && isPiece(text) ? text : null;
  const sought = { platform, keyword: text, hashtag: asHashtag(keyword), piece, since, until: now };
  const { summary, evidence } = await trends.figures(db, sought);
  const captions = evidence.sample_videos.map(({ caption }) => caption);
  return {
    platform,
    keyword,
    range,
    generated_at: now.toISOString(),
    summary,
    recommendations: {
      hook_angles: hookAngles(captions, keyword),
      hashtags: summary.top_hashtags.slice(0, RECOMMENDED_HASHTAGS).map(({ hashtag }) => `#${hashtag}`),
      sounds: summary.top_sounds
        .slice(0, RECOMMENDED_SOUNDS)
        .map(({ sound_id, sound_name }) => ({ sound_id, sound_name })),
    },
    evidence,
  };
}
