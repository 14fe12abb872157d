// Loads the references of a post: its accounts, and facts about its media from our files or by probing the URL.
import { sniffMimeType } from "../media/sniff-type.ts";
import { getCapabilities } from "../platforms/capabilities.ts";
import { describeCardError, findCardLink, readCard, type ShownCard } from "../platforms/link-cards.ts";
import type { MediaFile } from "../platforms/platform.ts";
import { type ListedAccount, listActiveAccounts, type PlannedAccount } from "../queries/accounts.ts";
import { type FileRow, findFilesByUrl } from "../queries/files.ts";
import { NEARBY_HOURS, NEARBY_SLOT_HOURS, type NearbyPost } from "../queries/nearby-posts.ts";
import { type Read, toRead } from "../queries/read.ts";
import type { PostDraft } from "../schemas/post-body.ts";
import type { ReadContext } from "../services/context.ts";
import { describeFetchError, probeUrl, safeFetch } from "../services/safe-fetch.ts";
import { findMediaType } from "../shared/media-types.ts";
import { type LinkCard, listMediaUrls, listPostFiles } from "../shared/post-content.ts";
import type { MediaHints, PlacedFile } from "../shared/post-media.ts";
import type { SlotPlan } from "../shared/slots.ts";
import { QUOTA_TIME_ZONE, YOUTUBE_DEFAULT_UPLOADS } from "./daily-uploads.ts";
import { resolveTime } from "./resolve-time.ts";

export interface ReferencedFile extends MediaFile {
  /** Of the bytes of our files: the hash of a plan covers them. */
  sha256?: string;
  /** Why the URL cannot be used, as a message to the caller. */
  unreachableReason?: string;
}

export interface ReferencedAccount extends ListedAccount {
  /** All uploads that the network allows the account's app on the post's day are planned; absent when not counted. */
  hasFullUploadDay?: boolean;
  hasOwnApp?: boolean;
  /** Null without slots. */
  slotPlan?: SlotPlan | null;
  /** Its other posts around the time of the post, in the order of their times. */
  nearbyPosts: NearbyPost[];
}

/** Accounts are in the caller's order, those that the key cannot see are missing; files are by URL. */
export interface References {
  accounts: Map<string, ReferencedAccount>;
  files: Map<string, ReferencedFile>;
  /** Of the scope: the zone of times of a clock that name none. */
  timeZone: string;
  /** By the address of the link: what its card shows, or why there is none. */
  cards: Map<string, ShownCard | { problem: string }>;
  /** Captions of test mode can force an outcome. */
  isTestMode: boolean;
}

export type KnownFile = Pick<
  FileRow,
  "url" | "sha256" | "contentType" | "size" | "durationMs" | "width" | "height" | "details"
>;
type ProbeContext = Pick<ReadContext, "fetch" | "env" | "resolveHost" | "sandbox">;
export type ReferenceContext = ProbeContext & Pick<ReadContext, "db" | "key" | "now">;

export function getAccountIds({ accounts }: Pick<PostDraft, "accounts">): string[] {
  return [...new Set(accounts.map(({ id }) => id))];
}

/** The rows that a draft refers to. */
export interface FoundReferences {
  accounts: ReferencedAccount[];
  files: KnownFile[];
  /** Of the scope. */
  timeZone: string;
}

/** The statements that find what the draft refers to; `resolveReferences` completes it. */
export function readReferences({ db, key, env, now }: ReferenceContext, draft: PostDraft): Read<FoundReferences> {
  const urls = listMediaUrls(draft);
  // The zone of the scope and the slots are read here too: the quota day of a time that names no zone may be the one beside it, and
  // that of a post for a slot is today's.
  const at = resolveTime(draft, "UTC").scheduledAt ?? now;
  const limits = { limit: env.YOUTUBE_UPLOADS_PER_DAY, defaultLimit: YOUTUBE_DEFAULT_UPLOADS };
  const planned = { platform: "youtube", timeZone: QUOTA_TIME_ZONE, ...limits } as const;
  const nearbyHours = draft.schedule === "next_slot" ? NEARBY_SLOT_HOURS : NEARBY_HOURS;
  const accounts = listActiveAccounts(db, key.scope, getAccountIds(draft), { around: at, nearbyHours }, planned);
  const toFound = (found: PlannedAccount[], files: KnownFile[]): FoundReferences => ({
    ...{ accounts: found, files },
    timeZone: found[0]?.timeZone ?? "UTC",
  });
  if (urls.length === 0) return toRead(db, [accounts], ([found]) => toFound(found, []));
  return toRead(db, [accounts, findFilesByUrl(db, key.scope, urls)], ([found, files]) => toFound(found, files));
}

/** Probes the media URLs of the draft that are not among the known files, and reads the pages of its cards. */
export async function resolveReferences(
  call: ProbeContext,
  draft: PostDraft,
  { accounts, files, timeZone }: FoundReferences,
): Promise<References> {
  const ordered = getAccountIds(draft).flatMap((id) => accounts.find((account) => account.id === id) ?? []);
  const cards = readCards(call, draft, ordered);
  const knownFiles = new Map(
    files.map((file): [string, ReferencedFile] => [file.url, { ...toMediaFile(file), sha256: file.sha256 }]),
  );
  // What a URL is used for first decides which type it must have.
  const placed = new Map(
    listPostFiles(draft)
      .toReversed()
      .map((file) => [file.url, file]),
  );
  const probed = await Promise.all(
    [...placed.values()]
      .filter(({ url }) => !knownFiles.has(url))
      .map(async (file): Promise<[string, ReferencedFile]> => [file.url, await probeFile(call, file)]),
  );
  return {
    cards: await cards,
    accounts: new Map(ordered.map((account) => [account.id, account])),
    files: new Map([...knownFiles, ...probed]),
    timeZone,
    isTestMode: call.sandbox !== null,
  };
}

/** Reads the pages of the cards that we make, at the same time. */
async function readCards(
  call: ProbeContext,
  draft: PostDraft,
  accounts: ReferencedAccount[],
): Promise<References["cards"]> {
  const links = new Map<string, LinkCard>();
  for (const { id, platform, type } of accounts) {
    if (getCapabilities(platform, type).linkCard !== "from_tags") continue;
    const { caption = draft.caption, media = draft.media } =
      draft.overrides.find(({ account_id }) => account_id === id) ?? {};
    const link = findCardLink({ caption, media, link: draft.link });
    if (link) links.set(link.url, link);
  }
  const policy = { fetch: call.fetch, resolveHost: call.resolveHost, allowedHosts: call.env.allowedHosts };
  const fetchMedia = (url: string, init: RequestInit) => safeFetch(policy, url, init);
  const read = [...links.values()].map(async (link) => {
    const card = await readCard({ fetchMedia }, link).catch((error: unknown) => ({
      problem: describeCardError(error),
    }));
    return [link.url, card] as const;
  });
  return new Map(await Promise.all(read));
}

async function probeFile(call: ProbeContext, { url, kind, hints }: PlacedFile): Promise<ReferencedFile> {
  const hinted = toHintedFile(url, hints);
  const policy = { fetch: call.fetch, resolveHost: call.resolveHost, allowedHosts: call.env.allowedHosts };
  const required = `${kind}/`;
  try {
    const { contentType, bytes, head } = await probeUrl(policy, url);
    // Servers often name an old, a wrong or no type, so the bytes decide; what they do not tell, the server may.
    const found = sniffMimeType(head);
    const mimeType = found ?? findMediaType(contentType) ?? contentType;
    const file = { ...hinted, mimeType, bytes: bytes ?? hinted.bytes };
    if (mimeType.startsWith(required)) return file;
    // Null, because the content type of an unusable URL does not describe the file.
    const what = found ? `a file of the type ${found}` : `the content type "${contentType || "none"}"`;
    const reason = `The URL returns ${what}, but ${required}* is required.`;
    return { ...file, mimeType: null, unreachableReason: reason };
  } catch (error) {
    return { ...hinted, mimeType: null, unreachableReason: describeFetchError(error) };
  }
}

/** A verified file; codecs and frame rate are known for videos only. */
export function toMediaFile({ url, contentType, size, details, ...file }: Omit<KnownFile, "sha256">): MediaFile {
  const { videoCodec, audioCodec, hasAudioStream, fps, wrongDurationMs } = details;
  return {
    url,
    mimeType: contentType,
    bytes: size,
    durationMs: file.durationMs,
    width: file.width,
    height: file.height,
    videoCodec: typeof videoCodec === "string" ? videoCodec : null,
    audioCodec: typeof audioCodec === "string" ? audioCodec : hasAudioStream === true ? "unknown" : null,
    fps: typeof fps === "number" ? fps : null,
    wrongDurationMs: typeof wrongDurationMs === "number" ? wrongDurationMs : null,
  };
}

/**
 * A URL that is no verified file, with what the caller stated about it. Networks get the URL as a browser sends it: with
 * spaces and letters beyond ASCII they take it for malformed, and it is no value of a header.
 */
export function toHintedFile(url: string, hints: MediaHints | null): MediaFile {
  const { mime_type, bytes, duration_seconds, width, height } = hints ?? {};
  return {
    url: new URL(url).href,
    mimeType: mime_type ?? null,
    bytes: bytes ?? null,
    durationMs: duration_seconds === undefined ? null : duration_seconds * 1000,
    width: width ?? null,
    height: height ?? null,
  };
}
