// The uploads that a network allows this whole service per day, shared between its customers.
import { failure } from "../platforms/platform.ts";
import type { ClaimedDelivery } from "../queries/deliveries.ts";
import type { Services } from "../services/context.ts";
import { PLATFORM_DETAILS, type Platform } from "../shared/platforms.ts";
import { toResult } from "../shared/result.ts";
import { addDays, getStartOfDay, toDay } from "../shared/time-zone.ts";

const RETRY_MS = 15 * 60 * 1000;

/** YouTube's quota resets at midnight Pacific time: https://developers.google.com/youtube/v3/getting-started#quota, read 2026-11-23. */
const TIME_ZONE = "America/Los_Angeles";
export interface QuotaDay {
  /** YYYY-MM-DD in the time zone of the quota. */
  name: string;
  from: Date;
  to: Date;
}

/** The quota day of an instant; of 23 or 25 hours when the clock changes. */
export function getQuotaDay(at: Date): QuotaDay {
  const name = toDay(at, TIME_ZONE);
  return { name, from: getStartOfDay(name, TIME_ZONE), to: getStartOfDay(addDays(name, 1), TIME_ZONE) };
}

/** Returns the service's uploads per day at a network; null where the network limits accounts only. */
function getDailyUploads({ env }: Pick<Services, "env">, platform: Platform): number | null {
  return platform === "youtube" ? env.YOUTUBE_UPLOADS_PER_DAY : null;
}

/*
 * Each customer may use an equal share, where one more customer than have uploaded today is counted, so that who comes
 * later finds room. Beyond its share a customer uploads only while all uploads stay behind the hour of the day.
 */
const RESERVE_SCRIPT = `
local own = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
local counts = redis.call('HVALS', KEYS[1])
local total = 0
for _, count in ipairs(counts) do total = total + tonumber(count) end
local others = #counts
if own > 0 then others = others - 1 end
if total >= tonumber(ARGV[2]) then return 'full' end
if own >= math.ceil(tonumber(ARGV[2]) / (others + 2)) and total >= tonumber(ARGV[3]) then return 'share' end
redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
redis.call('EXPIRE', KEYS[1], 172800)
return 'reserved'`;

/** Reserves one of today's uploads before a delivery starts. Throws `rate_limited` when its customer has to wait. */
export async function reserveDailyUpload(
  services: Pick<Services, "env" | "redis" | "clock" | "log">,
  { account, scopeId }: Pick<ClaimedDelivery, "account" | "scopeId">,
): Promise<void> {
  const limit = account.type === "byo" ? getDailyUploads(services, account.platform) : null;
  if (limit === null) return;
  const now = services.clock();
  const day = getQuotaDay(now);
  const due = Math.ceil((limit * (now.getTime() - day.from.getTime())) / (day.to.getTime() - day.from.getTime()));
  const args = [scopeId, String(limit), String(due)];
  const reserved = await toResult(
    services.redis.eval<string[], string>(RESERVE_SCRIPT, [`uploads:${account.platform}:${day.name}`], args),
  );
  // Without Redis the network itself enforces the limit.
  if (!reserved.ok || reserved.value === "reserved") return;
  const { name } = PLATFORM_DETAILS[account.platform];
  const isFull = reserved.value === "full";
  const message = isFull
    ? `The daily limit of ${limit} uploads that ${name} allows this service is reached.`
    : `Your current share of the ${limit} daily uploads that ${name} allows this service is used up.`;
  throw failure({
    class: "rate_limited",
    code: "daily_uploads_used",
    message,
    retryAt: isFull ? day.to : new Date(now.getTime() + RETRY_MS),
  });
}
