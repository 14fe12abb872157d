// The publishing plan of a draft: a check per account, and a hash that detects changes between prepare and commit.
import stringify from "safe-stable-stringify";
import { getCapabilities } from "../platforms/capabilities.ts";
import { measureUpTo } from "../platforms/caption.ts";
import type { PostCreate } from "../schemas/post-body.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { toPostContent } from "./content.ts";
import type { ResolvedReferences } from "./load-references.ts";
import type { Problem } from "./preflight.ts";

/** Returns one check per account, in the caller's order. */
export function checkAccounts(post: PostCreate, { accounts }: ResolvedReferences, problems: Problem[]) {
  return [...accounts.values()].map((account) => {
    const capabilities = getCapabilities(account.platform, account.type);
    // Problems of the post as a whole apply to every account.
    const own = problems.filter(({ account_id }) => account_id === account.id || account_id === undefined);
    const { limit, unit } = capabilities?.caption ?? { limit: 0, unit: "utf16" as const };
    return {
      account_id: account.id,
      ok: own.length === 0,
      caption_length: measureUpTo(limit, post.caption, unit).length,
      caption_limit: limit,
      caption_unit: unit,
      problems: own.map(({ path, message, code }) => ({ path, message, code })),
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

/** Returns the parts that differ from the hash; all parts when the hash is malformed. */
export function findPlanChanges(hash: string, post: PostCreate, resolved: ResolvedReferences): string[] {
  const now = hashPlan(post, resolved);
  const slice = (text: string, at: number) => text.slice(at * PART_HASH_LENGTH, (at + 1) * PART_HASH_LENGTH);
  const same = (at: number) => hash.length === now.length && slice(hash, at) === slice(now, at);
  return Object.keys(toPlanParts(post, resolved)).filter((_, at) => !same(at));
}

function toPlanParts(post: PostCreate, { accounts, media }: ResolvedReferences) {
  const byId = [...accounts.values()].sort((a, b) => a.id.localeCompare(b.id));
  const { caption, media: named, ...settings } = toPostContent(post);
  return {
    caption,
    accounts: byId.map(({ id, platform, type, username, status }) => ({ id, platform, type, username, status })),
    media: [named, [...media].sort(([a], [b]) => a.localeCompare(b))],
    settings,
    scheduled_at: post.scheduled_at ?? null,
    limits: byId.map(({ platform, type }) => {
      const { settingsSchema: _, ...limits } = getCapabilities(platform, type) ?? { settingsSchema: {} };
      return limits;
    }),
  };
}
