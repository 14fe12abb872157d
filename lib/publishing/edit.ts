// Changing a post that exists: what the change makes of it, whether that may be published, and when.
import type { Call } from "../call.ts";
import { type Code, refuse } from "../errors.ts";
import * as revisions from "../queries/revisions.ts";
import type { PostCreate, PostPatch } from "../schemas/post-body.ts";
import { accountIdsOf, dueAt, mediaUrlsOf, storedMedia } from "./draft.ts";
import { complete, type Resolved } from "./resolve.ts";
import { DEADLINE_AFTER_DUE_MS } from "./timing.ts";

export interface Loaded {
  patch: PostPatch;
  stored: revisions.Editable;
  /** The post as the change would leave it. */
  merged: PostCreate;
  resolved: Resolved;
}

/** Reads the post with everything the merged one refers to; null when no such post is in scope. */
export async function loadEditable(
  call: Pick<Call, "db" | "key" | "fetch" | "env" | "resolveHost">,
  id: string,
  patch: PostPatch,
): Promise<Loaded | null> {
  const stored = await revisions.findEditable(call.db, call.key.scope, id, {
    accountIds: patch.accounts ? accountIdsOf({ accounts: patch.accounts }) : [],
    urls: mediaUrlsOf(patch.media),
  });
  if (!stored) return null;
  const merged = merge(stored, patch);
  return { patch, stored, merged, resolved: await complete(call, merged, stored.accounts, stored.files) };
}

type PerProvider = revisions.Editable["settings"];

/** Null clears; of `settings`, each provider keeps what it is not given anew; accounts replace. */
function merge(stored: revisions.Editable, patch: PostPatch): PostCreate {
  const given = <Field extends keyof PostPatch>(field: Field) => patch[field] !== undefined;
  return {
    caption: patch.caption ?? stored.caption,
    accounts: patch.accounts ?? stored.deliveries.map(({ accountId }) => ({ id: accountId })),
    media: given("media") ? patch.media : (stored.media as PostCreate["media"]),
    scheduled_at: (given("scheduled_at") ? patch.scheduled_at : stored.scheduledAt) ?? undefined,
    music_url: given("music_url") ? patch.music_url : stored.musicUrl,
    tiktok: (given("tiktok") ? patch.tiktok : (stored.tiktok as PostCreate["tiktok"])) ?? undefined,
    pinterest: (given("pinterest") ? patch.pinterest : (stored.pinterest as PostCreate["pinterest"])) ?? undefined,
    settings: mergedSettings(stored.settings, patch.settings ?? {}),
    external_id: stored.externalId ?? undefined,
  };
}

function mergedSettings(stored: PerProvider, patch: Record<string, object | null>): PostCreate["settings"] {
  const given = Object.entries(patch).map(([name, provider]) => [name, provider && { ...stored[name], ...provider }]);
  const merged = Object.entries({ ...stored, ...Object.fromEntries(given) });
  return Object.fromEntries(merged.filter(([, provider]) => provider !== null));
}

/** More changes of one post at once than anybody sends. */
const TRIES_AT_MOST = 50;

/**
 * What `work` makes of a post. When that is null, another change came first: the post is read again, so that parallel
 * changes never lose one another and each is checked as it will be.
 */
export async function revising<Result>(
  call: Call,
  first: Loaded | null,
  work: (loaded: Loaded) => Promise<Result | null>,
): Promise<Result> {
  let loaded = first;
  for (let tries = 0; tries < TRIES_AT_MOST; tries++) {
    if (!loaded) throw refuse("not_found", "No post with this id is visible to the key.");
    const result = await work(loaded);
    if (result) return result;
    loaded = await loadEditable(call, loaded.stored.id, loaded.patch);
  }
  throw refuse("post_in_flight", "Others are changing this post. Ask again shortly.", { retry_after_seconds: 1 });
}

interface Plan {
  from: revisions.Revision["from"];
  /** A draft stays a draft; otherwise the deliveries that are not out are due anew. */
  draft: boolean;
  requeue: boolean;
  /** The refusal when the post's status does not allow the change. */
  wrongStatus: Code;
}

/** Writes the merged post, null when it was changed meanwhile; throws 404 or 409 when it is gone, in another state or in flight. */
export async function writeRevision(call: Call, { stored, merged }: Loaded, plan: Plan) {
  const due = plan.draft ? null : dueAt(merged.scheduled_at, call.now);
  const revised = await revisions.revise(call.db, call.key.scope, stored.id, {
    version: stored.version,
    from: plan.from,
    caption: merged.caption,
    media: storedMedia(merged.media),
    scheduledAt: merged.scheduled_at ?? null,
    musicUrl: merged.music_url ?? null,
    tiktok: merged.tiktok ?? null,
    pinterest: merged.pinterest ?? null,
    settings: merged.settings ?? {},
    targets: accountIdsOf(merged).map((accountId) => ({ id: call.ids(), accountId })),
    dueAt: due,
    deadlineAt: due && new Date(due.getTime() + DEADLINE_AFTER_DUE_MS),
    requeue: plan.requeue,
    now: call.now,
  });
  if (!revised) throw refuse("not_found", "No post with this id is visible to the key.");
  if (revised.outcome === "busy") {
    const message =
      "A publisher is at work on this post, or its outcome is still unknown. Ask again when it is settled; of a failed post, POST /posts/retry looks it up.";
    throw refuse("post_in_flight", message, { retry_after_seconds: 5 });
  }
  if (revised.outcome === "status") {
    throw refuse(plan.wrongStatus, `The post is ${revised.post.status}; that cannot be changed any more.`);
  }
  return revised.outcome === "changed" ? null : revised;
}
