// The uploads that a network allows an app per day; customers share those of the deployment's app.
import { failure } from "../platforms/platform.ts";
import type { ClaimedDelivery } from "../queries/deliveries.ts";
import type { Services } from "../services/context.ts";
import type { NetworkApp } from "../services/network-app.ts";
import { PLATFORM_DETAILS, type Platform } from "../shared/platforms.ts";
import { toResult } from "../shared/result.ts";
import { addDays, getStartOfDay, toDay } from "../shared/time-zone.ts";

const RETRY_MS = 15 * 60 * 1000;

/** YouTube's quota resets at midnight Pacific time: https://developers.google.com/youtube/v3/getting-started#quota, read 2026-11-23. */
export const QUOTA_TIME_ZONE = "America/Los_Angeles";

export interface QuotaDay {
  /** YYYY-MM-DD in the time zone of the quota. */
  name: string;
  from: Date;
  to: Date;
}

/** The quota day of an instant; of 23 or 25 hours when the clock changes. */
export function getQuotaDay(at: Date): QuotaDay {
  const name = toDay(at, QUOTA_TIME_ZONE);
  return { name, from: getStartOfDay(name, QUOTA_TIME_ZONE), to: getStartOfDay(addDays(name, 1), QUOTA_TIME_ZONE) };
}

/**
 * The uploads of a new Google Cloud project per day: https://developers.google.com/youtube/v3/determine_quota_cost, read
 * 2026-11-28 (a bucket of its own for videos.insert since 2026-06-01).
 */
export const YOUTUBE_DEFAULT_UPLOADS = 100;

/** Returns the uploads per day that a network allows the app; null where the network limits accounts only. */
export function getDailyUploads(
  { env }: Pick<Services, "env">,
  platform: Platform,
  app: Pick<NetworkApp, "uploadsPerDay"> | null,
): number | null {
  if (platform !== "youtube") return null;
  return app ? (app.uploadsPerDay ?? YOUTUBE_DEFAULT_UPLOADS) : env.YOUTUBE_UPLOADS_PER_DAY;
}

/** The uploads of each customer on a day. The app of a test scope is its own. */
function toUploadsKey(
  { sandbox }: Pick<Services, "sandbox">,
  platform: Platform,
  app: Pick<NetworkApp, "id"> | null,
  day: QuotaDay,
): string {
  const own = sandbox ? `${sandbox.scopeId}-${sandbox.resets}:` : app ? `${app.id}:` : "";
  return `uploads:${platform}:${own}${day.name}`;
}

/** The uploads that were begun today with an app; null when Redis does not respond. */
export async function countDailyUploads(
  services: Pick<Services, "redis" | "clock" | "sandbox">,
  platform: Platform,
  app: Pick<NetworkApp, "id"> | null,
): Promise<number | null> {
  const key = toUploadsKey(services, platform, app, getQuotaDay(services.clock()));
  const counts = await toResult(services.redis.eval<[], string[]>(`return redis.call('HVALS', KEYS[1])`, [key], []));
  return counts.ok ? counts.value.map(Number).reduce((sum, count) => sum + count, 0) : null;
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
  services: Pick<Services, "env" | "redis" | "clock" | "log" | "sandbox">,
  { account, scopeId }: Pick<ClaimedDelivery, "account" | "scopeId">,
): Promise<void> {
  const { platform, app } = account;
  const limit = account.type === "byo" ? getDailyUploads(services, platform, app) : null;
  if (limit === null) return;
  const now = services.clock();
  const day = getQuotaDay(now);
  const passed = (now.getTime() - day.from.getTime()) / (day.to.getTime() - day.from.getTime());
  // An app of the customer is shared with nobody.
  const due = app || services.sandbox ? limit : Math.ceil(limit * passed);
  const args = [scopeId, String(limit), String(due)];
  const reserved = await toResult(
    services.redis.eval<string[], string>(RESERVE_SCRIPT, [toUploadsKey(services, platform, app, day)], args),
  );
  // Without Redis the network itself enforces the limit.
  if (!reserved.ok || reserved.value === "reserved") return;
  const { name } = PLATFORM_DETAILS[platform];
  const isFull = reserved.value === "full";
  const message = isFull
    ? `The daily limit of ${limit} uploads that ${name} allows ${app ? "your own app" : "this service"} is reached.`
    : `Your current share of the ${limit} daily uploads that ${name} allows this service is used up.`;
  throw failure({
    class: "rate_limited",
    code: "daily_uploads_used",
    message,
    retryAt: isFull ? day.to : new Date(now.getTime() + RETRY_MS),
  });
}
