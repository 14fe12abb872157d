// From a checked request to the rows of a post: when it is due, what each account gets, and how a repeat is told.
import stringify from "safe-stable-stringify";
import type { Ids } from "../ids.ts";
import type { NewPost } from "../queries/posts.ts";
import { hintsOf, type PostCreate } from "../schemas/post-body.ts";
import { sha256Hex } from "../secrets.ts";
import { DEADLINE_AFTER_DUE_MS, NOW_TOLERANCE_MS } from "./timing.ts";

/** The instant a post is due: now when none is named or it is near. */
export function dueAt(scheduledAt: Date | null | undefined, now: Date): Date {
  return scheduledAt && scheduledAt.getTime() - now.getTime() > NOW_TOLERANCE_MS ? scheduledAt : now;
}

export function accountIdsOf(body: Pick<PostCreate, "accounts">): string[] {
  return [...new Set(body.accounts.map(({ id }) => id.toLowerCase()))];
}

export function mediaUrlsOf(media: PostCreate["media"]): string[] {
  if (!media) return [];
  return [...new Set(media.type === "video" ? [media.url] : media.urls)];
}

/** What a caller said, in the one form that equal requests share. */
function contentOf(body: PostCreate) {
  return {
    caption: body.caption,
    media: storedMedia(body.media),
    scheduledAt: body.scheduled_at ?? null,
    musicUrl: body.music_url ?? null,
    tiktok: body.tiktok ?? null,
    pinterest: body.pinterest ?? null,
    settings: body.settings ?? {},
    externalId: body.external_id ?? null,
  };
}

export function newPost(body: PostCreate, ids: Ids, now: Date, draft: boolean): NewPost {
  const due = draft ? null : dueAt(body.scheduled_at, now);
  const status = due === null ? "draft" : due > now ? "scheduled" : "pending";
  const id = ids();
  const content = contentOf(body);
  const accountIds = accountIdsOf(body);
  return {
    id,
    status,
    ...content,
    payloadHash: sha256Hex(stringify({ ...content, accountIds }) ?? ""),
    createdAt: now,
    deliveries: accountIds.map((accountId) => ({
      id: ids(),
      accountId,
      status,
      dueAt: due,
      deadlineAt: due && new Date(due.getTime() + DEADLINE_AFTER_DUE_MS),
    })),
  };
}

/** Media in the form that is stored: hints under their first names. */
export function storedMedia(media: PostCreate["media"]): NewPost["media"] {
  if (!media) return null;
  const named = media.type === "video" ? { type: media.type, url: media.url } : { type: media.type, urls: media.urls };
  const hints = Object.entries(hintsOf(media)).filter(([, value]) => value !== undefined);
  return { ...named, ...Object.fromEntries(hints) };
}
