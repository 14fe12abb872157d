// What a post's references stand for: its accounts, and the facts of its media, from our files or by asking the URL.
import type { Call } from "../call.ts";
import { type Guard, probe, whyUnreachable } from "../guard.ts";
import type { MediaFile } from "../platforms/platform.ts";
import * as accounts from "../queries/accounts.ts";
import * as files from "../queries/files.ts";
import { hintsOf, type PostCreate } from "../schemas/post-body.ts";
import { accountIdsOf, mediaUrlsOf } from "./draft.ts";

/** What is known of one media URL; null where nobody said. */
export interface MediaFacts {
  contentType: string | null;
  bytes: number | null;
  durationMs: number | null;
  width: number | null;
  height: number | null;
  /** Of our own files only. */
  videoCodec?: string | null;
  fps?: number | null;
  /** Why the URL is of no use, in words for the customer. */
  unreachable: string | null;
}

export interface Resolved {
  accounts: Map<string, accounts.ListedAccount>;
  media: Map<string, MediaFacts>;
}

type References = Pick<PostCreate, "accounts" | "media">;
type KnownFile = Pick<files.FileRow, "url" | "contentType" | "size" | "durationMs" | "width" | "height" | "details">;

/** One round trip to the database; URLs that are not our files are asked afterwards, side by side. */
export async function resolve(
  call: Pick<Call, "db" | "key" | "fetch" | "env" | "resolveHost">,
  refs: References,
): Promise<Resolved> {
  const { scope } = call.key;
  const urls = mediaUrlsOf(refs.media);
  const [found, known] = await Promise.all([
    accounts.findActive(call.db, scope, accountIdsOf(refs)),
    urls.length > 0 ? files.findByUrl(call.db, scope, urls) : [],
  ]);
  return complete(call, refs, found, known);
}

/** Adds what only the outside knows: the media URLs that are no files of ours. Accounts stand in the caller's order. */
export async function complete(
  call: Pick<Call, "fetch" | "env" | "resolveHost">,
  refs: References,
  found: accounts.ListedAccount[],
  known: KnownFile[],
): Promise<Resolved> {
  const facts = new Map(
    known.map(({ url, contentType, size, durationMs, width, height, details }): [string, MediaFacts] => [
      url,
      { contentType, bytes: size, durationMs, width, height, ...pictureIn(details), unreachable: null },
    ]),
  );
  const guard = { fetch: call.fetch, resolveHost: call.resolveHost, allowedHosts: call.env.allowedHosts };
  const foreign = mediaUrlsOf(refs.media).filter((url) => !facts.has(url));
  const asked = await Promise.all(foreign.map(async (url) => [url, await ask(guard, url, refs.media)] as const));
  for (const [url, fact] of asked) facts.set(url, fact);
  const named = accountIdsOf(refs).flatMap((id) => found.find((account) => account.id === id) ?? []);
  return { accounts: new Map(named.map((account) => [account.id, account])), media: facts };
}

/** The codec and the frame rate among what verification found of a video; null for an image. */
export function pictureIn({ videoCodec, fps }: KnownFile["details"]): Pick<MediaFile, "videoCodec" | "fps"> {
  return {
    videoCodec: typeof videoCodec === "string" ? videoCodec : null,
    fps: typeof fps === "number" ? fps : null,
  };
}

async function ask(guard: Guard, url: string, media: PostCreate["media"]): Promise<MediaFacts> {
  const hints = media ? hintsOf(media) : {};
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
    const { contentType, bytes } = await probe(guard, url, wanted);
    const unreachable = contentType.startsWith(wanted)
      ? null
      : `The URL answers with the type "${contentType || "none"}", expected is ${wanted}*.`;
    return { ...facts, contentType, bytes: bytes ?? facts.bytes, unreachable };
  } catch (error) {
    return { ...facts, unreachable: whyUnreachable(error) };
  }
}
