// What a draft would do: the check of each account, and a hash that tells whether anything about it has changed since.
import stringify from "safe-stable-stringify";
import { capabilitiesOf } from "../platforms/capabilities.ts";
import { captionLength } from "../platforms/caption.ts";
import type { PostCreate } from "../schemas/post-body.ts";
import { sha256Hex } from "../secrets.ts";
import { storedMedia } from "./draft.ts";
import type { Problem } from "./preflight.ts";
import type { Resolved } from "./resolve.ts";

/** One line per account of the post, in the caller's order. */
export function checksOf(post: PostCreate, { accounts }: Resolved, problems: Problem[]) {
  return [...accounts.values()].map((account) => {
    const able = capabilitiesOf(account.platform, account.type);
    // What is wrong with the post as a whole is wrong for every account.
    const own = problems.filter(({ account_id }) => account_id === account.id || account_id === null);
    return {
      account_id: account.id,
      ok: own.length === 0,
      caption_length: able ? captionLength(post.caption, able.caption.unit) : post.caption.length,
      caption_limit: able?.caption.limit ?? 0,
      caption_unit: able?.caption.unit ?? "utf16",
      problems: own.map(({ path, message, code }) => ({ path, message, code })),
    };
  });
}

const DIGITS = 10;

/** A hash per part of the plan, joined, so that a later look can say which part changed. */
export function planHash(post: PostCreate, resolved: Resolved): string {
  const parts = partsOf(post, resolved);
  return Object.values(parts)
    .map((part) => sha256Hex(stringify(part) ?? "").slice(0, DIGITS))
    .join("");
}

/** The parts of the plan that differ from the hash; all of them when it is no hash of ours. */
export function changedSince(hash: string, post: PostCreate, resolved: Resolved): string[] {
  const now = planHash(post, resolved);
  const slice = (text: string, at: number) => text.slice(at * DIGITS, (at + 1) * DIGITS);
  const same = (at: number) => hash.length === now.length && slice(hash, at) === slice(now, at);
  return Object.keys(partsOf(post, resolved)).filter((_, at) => !same(at));
}

function partsOf(post: PostCreate, { accounts, media }: Resolved) {
  const byId = [...accounts.values()].sort((a, b) => a.id.localeCompare(b.id));
  return {
    caption: post.caption,
    accounts: byId.map(({ id, platform, type, username, status }) => ({ id, platform, type, username, status })),
    media: [storedMedia(post.media), [...media].sort(([a], [b]) => a.localeCompare(b))],
    settings: [post.tiktok ?? null, post.pinterest ?? null, post.settings ?? {}, post.music_url ?? null],
    scheduled_at: post.scheduled_at ?? null,
    limits: byId.map(({ platform, type }) => {
      const { settingsSchema: _, ...limits } = capabilitiesOf(platform, type) ?? { settingsSchema: {} };
      return limits;
    }),
  };
}
