// Loads the references of a post: its accounts, and facts about its media from our files or by probing the URL.

import type { MediaFile } from "../platforms/platform.ts";
import { type ListedAccount, listActiveAccounts } from "../queries/accounts.ts";
import { type FileRow, findFilesByUrl } from "../queries/files.ts";
import { normalizeHints, type PostCreate } from "../schemas/post-body.ts";
import type { ReadContext, RequestContext } from "../services/context.ts";
import { describeFetchError, type FetchPolicy, probeUrl } from "../services/safe-fetch.ts";
import { getQuotaDay } from "./daily-uploads.ts";
import { getAccountIds, getMediaUrls } from "./new-post.ts";

/** Facts about one media URL; null where unknown. */
export interface MediaFacts {
  contentType: string | null;
  bytes: number | null;
  durationMs: number | null;
  width: number | null;
  height: number | null;
  /** Known for our own files only. */
  videoCodec?: string | null;
  fps?: number | null;
  /** Why the URL cannot be used, as a message to the caller; null when it can. */
  unreachableReason: string | null;
}

export interface ResolvedAccount extends ListedAccount {
  /** Whether all uploads that the network allows this service on the post's day are planned; absent when not counted. */
  hasFullUploadDay?: boolean;
}

export interface ResolvedReferences {
  accounts: Map<string, ResolvedAccount>;
  media: Map<string, MediaFacts>;
}

type References = Pick<PostCreate, "accounts" | "media">;
type ScheduledReferences = References & Pick<PostCreate, "scheduled_at">;
type KnownFile = Pick<FileRow, "url" | "contentType" | "size" | "durationMs" | "width" | "height" | "details">;

/** Takes one database round trip, then probes URLs that are not our files concurrently. */
export async function loadReferences(
  call: Pick<ReadContext, "db" | "key" | "fetch" | "env" | "resolveHost" | "now">,
  refs: ScheduledReferences,
): Promise<ResolvedReferences> {
  const { scope } = call.key;
  const urls = getMediaUrls(refs.media);
  const { from, to } = getQuotaDay(refs.scheduled_at ?? call.now);
  const planned = { platform: "youtube", from, to, limit: call.env.YOUTUBE_UPLOADS_PER_DAY } as const;
  const [found, known] = await Promise.all([
    listActiveAccounts(call.db, scope, getAccountIds(refs), planned),
    urls.length > 0 ? findFilesByUrl(call.db, scope, urls) : [],
  ]);
  return probeRemoteMedia(call, refs, found, known);
}

/** Probes media URLs that are not our files. Accounts are returned in the caller's order. */
export async function probeRemoteMedia(
  call: Pick<RequestContext, "fetch" | "env" | "resolveHost">,
  refs: References,
  found: ResolvedAccount[],
  known: KnownFile[],
): Promise<ResolvedReferences> {
  const facts = new Map(
    known.map(({ url, contentType, size, durationMs, width, height, details }): [string, MediaFacts] => [
      url,
      { contentType, bytes: size, durationMs, width, height, ...getVideoDetails(details), unreachableReason: null },
    ]),
  );
  const policy = { fetch: call.fetch, resolveHost: call.resolveHost, allowedHosts: call.env.allowedHosts };
  const remoteUrls = getMediaUrls(refs.media).filter((url) => !facts.has(url));
  const probed = await Promise.all(
    remoteUrls.map(async (url) => [url, await probeMedia(policy, url, refs.media)] as const),
  );
  for (const [url, fact] of probed) facts.set(url, fact);
  const named = getAccountIds(refs).flatMap((id) => found.find((account) => account.id === id) ?? []);
  return { accounts: new Map(named.map((account) => [account.id, account])), media: facts };
}

/** Reads codec and frame rate from the verification details of a video; null for an image. */
export function getVideoDetails({ videoCodec, fps }: KnownFile["details"]): Pick<MediaFile, "videoCodec" | "fps"> {
  return {
    videoCodec: typeof videoCodec === "string" ? videoCodec : null,
    fps: typeof fps === "number" ? fps : null,
  };
}

async function probeMedia(policy: FetchPolicy, url: string, media: PostCreate["media"]): Promise<MediaFacts> {
  const hints = media ? normalizeHints(media) : {};
  const number = (hint: unknown) => (typeof hint === "number" ? hint : null);
  const facts = {
    contentType: null,
    bytes: number(hints.bytes),
    durationMs: typeof hints.duration_seconds === "number" ? hints.duration_seconds * 1000 : null,
    width: number(hints.width),
    height: number(hints.height),
  };
  try {
    const wanted = media?.type === "video" ? "video/" : "image/";
    const { contentType, bytes } = await probeUrl(policy, url, wanted);
    const unreachable = contentType.startsWith(wanted)
      ? null
      : `The URL returns the content type "${contentType || "none"}", but ${wanted}* is required.`;
    return { ...facts, contentType, bytes: bytes ?? facts.bytes, unreachableReason: unreachable };
  } catch (error) {
    return { ...facts, unreachableReason: describeFetchError(error) };
  }
}
