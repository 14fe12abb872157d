// Loads a stored post for a change: the draft that it becomes with the patch, and what that draft refers to.
import { type EditablePost, findEditablePost } from "../queries/editable-posts.ts";
import type { PostDraft, PostPatch } from "../schemas/post-body.ts";
import { FIELD_ALIASES } from "../schemas/post-settings.ts";
import { listMediaUrls } from "../shared/post-content.ts";
import { getAccountIds, type ReferenceContext, type References, resolveReferences } from "./load-references.ts";
import { resolveTime } from "./resolve-time.ts";

export interface LoadedPost extends Pick<EditablePost, "id" | "version" | "status"> {
  stored: PostDraft;
  patch: PostPatch;
  /** The stored post with the patch applied. */
  draft: PostDraft;
  references: References;
}

/** Takes one database round trip, then probes URLs that are not our files; null when the scope has no such post. */
export async function loadPost(call: ReferenceContext, id: string, patch: PostPatch): Promise<LoadedPost | null> {
  const row = await findEditablePost(call.db, call.key.scope, id, {
    at: getPatchedTime(patch, call.now),
    now: call.now,
    accountIds: getAccountIds({ accounts: patch.accounts ?? [] }),
    urls: listMediaUrls(patch),
  });
  if (!row) return null;
  const { id: _, version, status, timeZone, activeAccounts, files, ...stored } = row;
  const patched = applyPatch(stored, patch);
  // A scheduled post keeps its instant until its time changes, it becomes a draft, or cron moves it.
  const draft = status === "draft" || patch.becomesDraft || patch.schedule ? resolveTime(patched, timeZone) : patched;
  const references = await resolveReferences(call, draft, { accounts: activeAccounts, files, timeZone });
  return { id, version, status, stored, patch, draft, references };
}

/** A time of a clock is as good as known: what is read around it allows for its zone. */
function getPatchedTime(patch: PostPatch, now: Date): Date | undefined {
  const { scheduledAt, schedule = null, scheduleZone = null } = patch;
  if (scheduledAt === undefined) return undefined;
  return resolveTime({ scheduledAt, schedule, scheduleZone }, "UTC").scheduledAt ?? now;
}

/** Null clears a field, `accounts` replaces the list, and `settings` are merged per provider. */
function applyPatch(
  stored: PostDraft,
  { settings = {}, expectedUpdatedAt: _, becomesDraft: __, ...fields }: PostPatch,
): PostDraft {
  const merged = { ...stored.settings };
  for (const [name, provider] of Object.entries(settings)) {
    if (provider) merged[name] = { ...omitReplacedAliases(name, merged[name] ?? {}, provider), ...provider };
    else delete merged[name];
  }
  return { ...stored, ...fields, settings: merged };
}

function omitReplacedAliases(name: string, stored: object, patch: object): object {
  const replaced = (FIELD_ALIASES[name] ?? []).filter((pair) => pair.some((field) => field in patch)).flat();
  return Object.fromEntries(Object.entries(stored).filter(([field]) => !replaced.includes(field)));
}
