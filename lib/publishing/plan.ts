// The hash of a draft's publishing plan, which detects changes between prepare and commit.
import stringify from "safe-stable-stringify";
import { getCapabilities } from "../platforms/capabilities.ts";
import type { PostDraft } from "../schemas/post-body.ts";
import { sha256Hex } from "../shared/crypto.ts";
import type { References } from "./load-references.ts";

/** Messages of plan_changed have these names, and a name's place is that of its hash: a change invalidates issued hashes. */
const PARTS = [
  ...(["caption", "accounts", "media", "settings", "scheduled_at", "limits"] as const),
  ...(["overrides", "first_comment", "thread", "link"] as const),
] as const;
const PART_HASH_LENGTH = 10;

/** Concatenates one hash per part, so that a later comparison shows which part changed. */
export function hashPlan(draft: PostDraft, { accounts, files }: Pick<References, "accounts" | "files">): string {
  const { caption, media, musicUrl, tiktok, pinterest, settings, scheduledAt, schedule, scheduleZone } = draft;
  const { overrides, firstComment, thread, link } = draft;
  const byId = [...accounts.values()].sort((a, b) => a.id.localeCompare(b.id));
  const parts: Record<(typeof PARTS)[number], unknown> = {
    caption,
    accounts: byId.map(({ id, platform, type, username, status }) => ({ id, platform, type, username, status })),
    media: [media, [...files].sort(([a], [b]) => a.localeCompare(b))],
    settings: { musicUrl, tiktok, pinterest, settings },
    // A time of a clock is still what was planned after a change of rules.
    scheduled_at: schedule ? { schedule, scheduleZone } : scheduledAt,
    limits: byId.map(({ platform, type }) => {
      const { settingsSchema: _, ...limits } = getCapabilities(platform, type);
      return limits;
    }),
    overrides: overrides.toSorted((a, b) => a.account_id.localeCompare(b.account_id)),
    first_comment: firstComment,
    thread,
    link,
  };
  return PARTS.map((name) => sha256Hex(stringify(parts[name]) ?? "").slice(0, PART_HASH_LENGTH)).join("");
}

/** The names of the parts that differ between two hashes; all names when they differ in length. */
export function findPlanChanges(planHash: string, currentHash: string): string[] {
  const getPart = (hash: string, at: number) => hash.slice(at * PART_HASH_LENGTH, (at + 1) * PART_HASH_LENGTH);
  return PARTS.filter(
    (_, at) => planHash.length !== currentHash.length || getPart(planHash, at) !== getPart(currentHash, at),
  );
}
