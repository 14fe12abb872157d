// Rate ceilings: policies as data, charged in Redis, told to the caller in every answer of a limited operation.
import { type Refusal, refuse } from "./errors.ts";
import { lookAtWindow, type Redis, takeFromWindow } from "./upstash.ts";

interface Policy {
  quota: number;
  windowSeconds: number;
  /** Whose budget it is. */
  per: "customer" | "everyone";
}

const DAY = 24 * 60 * 60;

export const POLICIES = {
  // Each start reserves room in the bucket for as long as its upload may last.
  file_starts: { quota: 600, windowSeconds: 60, per: "customer" },
  // Each is paid for at the provider of the language model.
  generations: { quota: 120, windowSeconds: 60, per: "customer" },
  // The viral library is licensed by the read. Days are counted for results, too: a search costs its `limit` of them.
  viral_searches: { quota: 20, windowSeconds: 60, per: "customer" },
  viral_searches_daily: { quota: 200, windowSeconds: DAY, per: "customer" },
  viral_results_daily: { quota: 2_000, windowSeconds: DAY, per: "customer" },
  viral_searches_shared: { quota: 300, windowSeconds: 60, per: "everyone" },
  viral_posts: { quota: 60, windowSeconds: 60, per: "customer" },
  viral_posts_daily: { quota: 300, windowSeconds: DAY, per: "customer" },
  viral_posts_shared: { quota: 900, windowSeconds: 60, per: "everyone" },
  viral_transcripts: { quota: 30, windowSeconds: 60, per: "customer" },
  viral_transcripts_daily: { quota: 100, windowSeconds: DAY, per: "customer" },
  viral_transcripts_shared: { quota: 300, windowSeconds: 60, per: "everyone" },
} as const satisfies Record<string, Policy>;

export type PolicyName = keyof typeof POLICIES;

/** How much of a policy one request takes; 1 unless told. */
export type Costs = Partial<Record<PolicyName, number>>;

export interface Charged {
  headers: Record<string, string>;
  refusal: Refusal | null;
  /** Undoes what was taken of the ceilings that all callers share. */
  giveBack(): Promise<unknown>;
}

/** Charges one request to every policy, in one round trip unless it is refused. Fixed windows, because their reset is a promise that holds. */
export async function charge(
  redis: Redis,
  names: readonly PolicyName[],
  customer: string,
  now: Date,
  costs: Costs,
): Promise<Charged> {
  const take = async (name: PolicyName, cost: number) => {
    const policy: Policy = POLICIES[name];
    const window = await takeFromWindow(redis, `limit:${name}`, policy, whose(policy, customer), cost);
    return { ...leftOf(name, window, now), name, success: window.success };
  };
  const shared = names.filter((name) => POLICIES[name].per === "everyone");
  const giveBack = () => Promise.all(shared.map((name) => take(name, -(costs[name] ?? 1))));

  const taken = await Promise.all(names.map((name) => take(name, costs[name] ?? 1)));
  // Whoever is over a ceiling of their own takes nothing of those that all callers share.
  const over = taken.some(({ name, success }) => !success && !shared.includes(name));
  const returned = over ? await giveBack().catch(() => []) : [];
  const results = taken.map((result) => returned.find(({ name }) => name === result.name) ?? result);
  const broken = results.filter((result) => !result.success).sort((a, b) => b.seconds - a.seconds)[0];
  const { quota, windowSeconds } = broken?.policy ?? { quota: 0, windowSeconds: 0 };
  return {
    headers: rateHeaders(results),
    refusal: broken
      ? refuse("rate_limited", `The ceiling "${broken.name}" of ${quota} per ${windowSeconds} s is reached.`, {
          retry_after_seconds: broken.seconds,
        })
      : null,
    giveBack: over ? async () => [] : giveBack,
  };
}

/** The headers of a request that is refused before it is charged. */
export async function uncharged(
  redis: Redis,
  names: readonly PolicyName[],
  customer: string,
  now: Date,
): Promise<Record<string, string>> {
  const left = names.map(async (name) => {
    const policy: Policy = POLICIES[name];
    return leftOf(name, await lookAtWindow(redis, `limit:${name}`, policy, whose(policy, customer)), now);
  });
  return rateHeaders(await Promise.all(left));
}

function whose({ per }: Policy, customer: string): string {
  return per === "customer" ? customer : "everyone";
}

function leftOf(name: PolicyName, { remaining, reset }: { remaining: number; reset: number }, now: Date): Left {
  const seconds = Math.max(1, Math.ceil((reset - now.getTime()) / 1000));
  return { name, policy: POLICIES[name], remaining: Math.max(0, remaining), seconds };
}

/** What is left of a ceiling, and the seconds until it is whole again. */
export interface Left {
  name: string;
  policy: { quota: number; windowSeconds: number };
  remaining: number;
  seconds: number;
}

/** What can be told of ceilings that were not charged. */
export function policyHeaders(names: readonly PolicyName[]): Record<string, string> {
  return { "RateLimit-Policy": told(names.map((name) => ({ name, policy: POLICIES[name] }))) };
}

function told(ceilings: Pick<Left, "name" | "policy">[]): string {
  return ceilings.map(({ name, policy }) => `"${name}";q=${policy.quota};w=${policy.windowSeconds}`).join(", ");
}

export function rateHeaders(ceilings: Left[]): Record<string, string> {
  return {
    "RateLimit-Policy": told(ceilings),
    RateLimit: ceilings.map(({ name, remaining, seconds }) => `"${name}";r=${remaining};t=${seconds}`).join(", "),
  };
}
