// The publishing plan of a draft: a check per account, and a hash that detects changes between prepare and commit.
import stringify from "safe-stable-stringify";
import { getCapabilities } from "../platforms/capabilities.ts";
import { measureWithinLimit } from "../platforms/caption.ts";
import type { PostCreate } from "../schemas/post-body.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { toPostContent } from "./content.ts";
import type { ResolvedReferences } from "./load-references.ts";
import type { Problem } from "./preflight.ts";

/** Returns one check per account, in the order of the accounts in the request. */
export function checkAccounts(post: PostCreate, { accounts }: ResolvedReferences, problems: Problem[]) {
  return [...accounts.values()].map((account) => {
    const capabilities = getCapabilities(account.platform, account.type);
    // A problem without account_id concerns the whole post, so every account gets it.
    const accountProblems = problems.filter(({ account_id }) => account_id === account.id || account_id === undefined);
    const { limit, unit } = capabilities?.caption ?? { limit: 0, unit: "utf16" as const };
    return {
      account_id: account.id,
      ok: accountProblems.length === 0,
      // A lower bound when a long caption exceeds the limit: the rest is not measured.
      caption_length: measureWithinLimit(post.caption, unit, limit).length,
      caption_limit: limit,
      caption_unit: unit,
      problems: accountProblems.map(({ path, message, code }) => ({ path, message, code })),
    };
  });
}

const PART_HASH_LENGTH = 10;

/** Concatenates one hash per part, so that a later comparison shows which part changed. */
export function hashPlan(post: PostCreate, resolved: ResolvedReferences): string {
  const parts = toPlanParts(post, resolved);
  return Object.values(parts)
    .map((part) => sha256Hex(stringify(part) ?? "").slice(0, PART_HASH_LENGTH))
    .join("");
}

/** Returns the names of the parts that changed since the hash; all names when the hash has another length. */
export function findPlanChanges(planHash: string, post: PostCreate, resolved: ResolvedReferences): string[] {
  const currentHash = hashPlan(post, resolved);
  const getPartHash = (hash: string, index: number) =>
    hash.slice(index * PART_HASH_LENGTH, (index + 1) * PART_HASH_LENGTH);
  const isUnchanged = (index: number) =>
    planHash.length === currentHash.length && getPartHash(planHash, index) === getPartHash(currentHash, index);
  return Object.keys(toPlanParts(post, resolved)).filter((_, index) => !isUnchanged(index));
}

/** Names stand in messages of plan_changed, and their order is the position in the hash: changes invalidate issued hashes. */
function toPlanParts(post: PostCreate, { accounts, media: factsByUrl }: ResolvedReferences) {
  const byId = [...accounts.values()].sort((a, b) => a.id.localeCompare(b.id));
  const { caption, media: postMedia, ...settings } = toPostContent(post);
  return {
    caption,
    accounts: byId.map(({ id, platform, type, username, status }) => ({ id, platform, type, username, status })),
    media: [postMedia, [...factsByUrl].sort(([a], [b]) => a.localeCompare(b))],
    settings,
    scheduled_at: post.scheduled_at ?? null,
    limits: byId.map(({ platform, type }) => {
      const { settingsSchema: _, ...limits } = getCapabilities(platform, type) ?? { settingsSchema: {} };
      return limits;
    }),
  };
}
