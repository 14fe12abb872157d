// Rate ceilings: policies as data, charged in Redis, told to the caller in every answer of a limited operation.
import { type Refusal, refuse } from "./errors.ts";
import { type Redis, takeFromWindow } from "./upstash.ts";

interface Policy {
  quota: number;
  windowSeconds: number;
  /** Whose budget it is. */
  per: "customer" | "everyone";
}

export const POLICIES = {
  // Each start reserves room in the bucket for as long as its upload may last.
  file_starts: { quota: 600, windowSeconds: 60, per: "customer" },
} as const satisfies Record<string, Policy>;

export type PolicyName = keyof typeof POLICIES;

export interface Charged {
  headers: Record<string, string>;
  refusal: Refusal | null;
}

/** Charges one request to every policy in one round trip. Fixed windows, because their reset is a promise that holds. */
export async function charge(
  redis: Redis,
  names: readonly PolicyName[],
  customer: string,
  now: Date,
): Promise<Charged> {
  const results = await Promise.all(
    names.map(async (name) => {
      const policy: Policy = POLICIES[name];
      const { success, remaining, reset } = await takeFromWindow(
        redis,
        `limit:${name}`,
        policy,
        policy.per === "customer" ? customer : "everyone",
      );
      const seconds = Math.max(1, Math.ceil((reset - now.getTime()) / 1000));
      return { name, policy, success, remaining: Math.max(0, remaining), seconds };
    }),
  );
  const broken = results.filter((result) => !result.success).sort((a, b) => b.seconds - a.seconds)[0];
  const { quota, windowSeconds } = broken?.policy ?? { quota: 0, windowSeconds: 0 };
  return {
    headers: {
      "RateLimit-Policy": results
        .map(({ name, policy }) => `"${name}";q=${policy.quota};w=${policy.windowSeconds}`)
        .join(", "),
      RateLimit: results.map(({ name, remaining, seconds }) => `"${name}";r=${remaining};t=${seconds}`).join(", "),
    },
    refusal: broken
      ? refuse("rate_limited", `The ceiling "${broken.name}" of ${quota} per ${windowSeconds} s is reached.`, {
          retry_after_seconds: broken.seconds,
        })
      : null,
  };
}
