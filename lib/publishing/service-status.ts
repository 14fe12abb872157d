// The public status of publishing, and whether the services behind it respond; cached per isolate.
import { pingDatabase, readNetworkStatus } from "../queries/service-status.ts";
import type { ServiceStatus } from "../schemas/service-status.ts";
import type { ReadContext } from "../services/context.ts";
import type { Env } from "../services/env.ts";
import { HOUR_MS } from "../shared/durations.ts";
import { PLATFORMS } from "../shared/platforms.ts";

type Context = Pick<ReadContext, "db" | "redis" | "env" | "now">;

const PERIOD_MS = HOUR_MS;
const OVERDUE_AFTER_MS = 60_000;

/** Of the posts of an hour; below it, or with later posts than the second number, a network is degraded. */
const MIN_SUCCESS_RATE = 0.9;
const MAX_LATENESS_MS = 60_000;

type NetworkRow = Awaited<ReturnType<typeof readNetworkStatus>>[number];

async function readStatus({ db, now }: Context): Promise<ServiceStatus> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const rows = await readNetworkStatus(db, {
    since: before(PERIOD_MS),
    overdueSince: before(OVERDUE_AFTER_MS),
  });
  const networks = PLATFORMS.map((platform) =>
    toNetworkStatus(
      platform,
      rows.find((row) => row.platform === platform),
    ),
  );
  const isDegraded = networks.some(({ status }) => status === "degraded");
  const status = isDegraded ? "degraded" : "operational";
  return { generated_at: now, period_seconds: PERIOD_MS / 1000, status, networks };
}

function toNetworkStatus(
  platform: NetworkRow["platform"],
  row: NetworkRow | undefined,
): ServiceStatus["networks"][number] {
  const { published = 0, failed = 0, latenessP50Ms = null, latenessP95Ms = null, overdue = 0 } = row ?? {};
  const ended = published + failed;
  const successRate = ended === 0 ? null : Math.round((published / ended) * 1000) / 1000;
  const isDegraded = overdue > 0 || (successRate ?? 1) < MIN_SUCCESS_RATE || (latenessP95Ms ?? 0) > MAX_LATENESS_MS;
  return {
    platform,
    status: isDegraded ? "degraded" : ended === 0 ? "no_recent_posts" : "operational",
    published,
    failed,
    success_rate: successRate,
    lateness_p50_ms: latenessP50Ms,
    lateness_p95_ms: latenessP95Ms,
    overdue,
  };
}

async function checkServices({ db, redis, now }: Context): Promise<{ status: "ok"; checked_at: Date }> {
  await Promise.all([pingDatabase(db), redis.ping()]);
  return { status: "ok", checked_at: now };
}

/**
 * Anybody may send these requests, so an isolate computes a result once for a span of time. The value is kept and not
 * its promise, which would end with the request that made it.
 */
function cacheFor<Value>(ms: number, compute: (context: Context) => Promise<Value>) {
  const cache = new WeakMap<Env, { until: number; value: Value }>();
  return async (context: Context): Promise<Value> => {
    const now = context.now.getTime();
    const cached = cache.get(context.env);
    if (cached && cached.until > now) return cached.value;
    const value = await compute(context);
    cache.set(context.env, { until: now + ms, value });
    return value;
  };
}

export const STATUS_CACHE_SECONDS = 30;
const HEALTH_CACHE_SECONDS = 5;

export const getServiceStatus = cacheFor(STATUS_CACHE_SECONDS * 1000, readStatus);
export const getServiceHealth = cacheFor(HEALTH_CACHE_SECONDS * 1000, checkServices);
