// Executes a request under its idempotency key: claims the key, and stores the response or releases the key afterwards.
import type { Services } from "../services/context.ts";
import { toApiError } from "../shared/errors.ts";
import { formatError } from "../shared/format-error.ts";
import { toResult } from "../shared/result.ts";
import { retryInBackground } from "../shared/retry.ts";
import type { AnySpec } from "./endpoint-spec.ts";
import type { ApiResponse } from "./envelope.ts";
import { type Claim, claimKey, type OwnedClaim, releaseUnconfirmed } from "./idempotency.ts";
import type { PipelineContext } from "./pipeline-state.ts";

export function getLeaseMs(spec: AnySpec): number {
  return (spec.leaseSeconds ?? 60) * 1000;
}

/** Null without an idempotency key. `seed` determines the ids of the execution and identifies it as the holder of the claim. */
export async function claimRequest(spec: AnySpec, c: PipelineContext, seed: string): Promise<Claim | null> {
  const idempotencyKey = c.get("idempotencyKey");
  if (!idempotencyKey) return null;
  const { services, credential, fingerprint, now } = c.var;
  try {
    return await claimKey(services.redis, credential.id, idempotencyKey, fingerprint, seed, now, getLeaseMs(spec));
  } catch (error) {
    if (toApiError(error)?.code === "provider_unavailable") {
      const release = () => releaseUnconfirmed(services.redis, credential.id, idempotencyKey, seed);
      services.waitUntil(retryInBackground(release));
    }
    throw error;
  }
}

/** Stores the response of `work` under the claim, or releases the claim when it throws. */
export async function settleClaim(
  services: Services,
  claim: OwnedClaim | null,
  work: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  if (!claim) return work();
  const result = await toResult(work());
  if (result.ok) {
    await updateClaim(services, () => claim.store(result.value));
    return result.value;
  }
  const status = toApiError(result.error)?.status ?? 500;
  await updateClaim(services, () => claim.release(status < 500 ? "free" : "retriable"));
  throw result.error;
}

/**
 * The work is done whether or not Redis responds, so a failed update is retried after the response. Until it succeeds,
 * retries of the caller get 409; after the lease they draw the same ids again and find what was written.
 */
async function updateClaim(services: Services, update: () => Promise<void>): Promise<void> {
  const result = await toResult(update());
  if (result.ok) return;
  services.log({ level: "error", error: formatError(result.error) });
  services.waitUntil(retryInBackground(update));
}
