// Bluesky driver (AT Protocol): uploads media as blobs, then creates one record whose key is derived from the delivery.

import { pickList, pickString, unanswered } from "../http.ts";
import { resolveCard } from "../link-cards.ts";
import { getImages } from "../media.ts";
import {
  defineDriver,
  type Handle,
  type Job,
  type Published,
  type PublishWarning,
  parentMissing,
} from "../platform.ts";
import { pollLater } from "../polling.ts";
import type { JobPart, PublishedPart } from "../published-post.ts";
import { inconclusiveIfRejected } from "../reconcile-errors.ts";
import { partSent } from "../upload-session.ts";
import { assertWithinLimits } from "../violations.ts";
import { callAccountServer, findAccountServer } from "./account-server.ts";
import { assertActive, assertSuccess, getErrorName } from "./errors.ts";
import { buildVideoEmbed, createCardEmbed, createImagesEmbed, findAltTextViolations } from "./media.ts";
import { deriveRecordKey } from "./record-key.ts";
import { capabilities } from "./rules.ts";
import { refresh } from "./session.ts";
import { buildText, type Facet, findHandles, findWarnings } from "./text.ts";
import { unpublish } from "./unpublish.ts";
import { beginVideo, continueVideo, fetchVideoBlob, type PartedUpload } from "./video.ts";
import { buildWrite, COLLECTION, getWrittenUri } from "./write.ts";
import { NETWORK } from "./xrpc.ts";

/** A record as it was: its address and the hash of its content. */
interface StrongRef {
  uri: string;
  cid: string;
}

interface BlueskyHandle extends Handle {
  rkey: string;
  /** The account's server; absent in handles of older versions. */
  server?: string;
  /** The caption, with shortened links if it is too long; absent in handles of older versions. */
  text?: string;
  facets: Facet[];
  embed?: Record<string, unknown>;
  /** Why the post has no card. */
  warnings?: PublishWarning[];
  reply?: { root: StrongRef; parent: StrongRef };
  /** The video processing job; its blob becomes the embed. */
  videoJob?: string;
  /** While Bluesky does not have all of the video. */
  upload?: PartedUpload;
}

export const bluesky = defineDriver<BlueskyHandle>({
  platform: "bluesky",
  capabilities,
  connectBy: "server",
  validate: findAltTextViolations,
  warn: findWarnings,
  refresh,
  unpublish,

  // Succeeds if the session works and the account is active. Free.
  async check(job) {
    const server = await findAccountServer(job, job.network, job.connection.externalId);
    const name = "com.atproto.server.getSession";
    const response = await callAccountServer(job, server, { method: "GET", name, authorized: true });
    assertSuccess(job, response);
    assertActive(response);
  },

  async start(job) {
    const { caption, media } = job.content;
    assertWithinLimits(job.content, capabilities, NETWORK, findAltTextViolations(job.content));
    const rkey = await deriveRecordKey(job.part ? `${job.deliveryId}:${job.part.number}` : job.deliveryId);
    const server = await findAccountServer(job, job.network, job.connection.externalId);
    const text = buildText(caption, await resolveHandles(job, server, findHandles(caption)));
    const built = { ...text, ...(job.part ? { reply: await buildReply(job, server, job.part) } : {}) };
    if (!media) {
      const { card, warnings } = await resolveCard(job);
      const embed = card && (await createCardEmbed(job, server, card));
      return { rkey, server, ...built, ...(embed ? { embed } : {}), ...(warnings ? { warnings } : {}) };
    }
    if (media.type === "video") return { rkey, server, ...built, ...(await beginVideo(job, server, media.video)) };
    return { rkey, server, ...built, embed: await createImagesEmbed(job, server, getImages(media)) };
  },

  async poll(job, handle) {
    const { media } = job.content;
    if (handle.upload && media?.type === "video") {
      const { upload, ...rest } = handle;
      const server = await getServer(job, handle);
      return partSent({ ...rest, ...(await continueVideo(job, server, media.video, upload)) });
    }
    if (!handle.videoJob || handle.embed || media?.type !== "video") return { state: "ready" };
    const blob = await fetchVideoBlob(job, handle.videoJob);
    if (!blob) return pollLater(handle);
    return { state: "ready", handle: { ...handle, embed: buildVideoEmbed(blob, media.video) } };
  },

  async publish(job, handle) {
    const { rkey } = handle;
    // Who may reply is a matter of the whole thread.
    const settings = job.part ? {} : job.content.settings;
    const write = buildWrite(job.connection.externalId, rkey, buildRecord(job, handle), settings);
    const server = await getServer(job, handle);
    const request = { method: "POST", authorized: true, irreversible: true } as const;
    const response = await callAccountServer(job, server, { ...request, ...write });
    // Only this delivery has this key, so the existing record is ours.
    if (response.status >= 400 && /exist/i.test(getErrorName(response))) throw unanswered(NETWORK, "record_exists");
    assertSuccess(job, response);
    const uri = getWrittenUri(response.body);
    if (!uri) throw unanswered(NETWORK, "record_without_uri");
    return toPublished(job, uri, handle);
  },

  reconcile: (job, handle) => inconclusiveIfRejected(findRecord(job, handle)),
});

function buildRecord(job: Job, handle: BlueskyHandle) {
  const { text = job.content.caption, facets, embed, reply } = handle;
  const langs = pickList(job.content.settings, "languages");
  return {
    $type: COLLECTION,
    text,
    createdAt: job.now().toISOString(),
    ...(facets.length > 0 ? { facets } : {}),
    ...(langs.length > 0 ? { langs } : {}),
    ...(embed ? { embed } : {}),
    ...(reply ? { reply } : {}),
  };
}

async function findRecord(
  job: Job,
  handle: BlueskyHandle,
): Promise<Published | { state: "not_published"; handle: Handle }> {
  const response = await callAccountServer(job, await getServer(job, handle), {
    method: "GET",
    name: "com.atproto.repo.getRecord",
    authorized: true,
    query: { repo: job.connection.externalId, collection: COLLECTION, rkey: handle.rkey },
  });
  // The key belongs to this delivery, so continuing can create only this one record.
  if (getErrorName(response) === "RecordNotFound") return { state: "not_published", handle };
  assertSuccess(job, response);
  const uri = pickString(response.body, "uri");
  if (!uri) throw unanswered(NETWORK, "record_without_uri");
  return toPublished(job, uri, handle);
}

/** `app.bsky.feed.post#replyRef`: the first post of the thread, and the post that is answered. */
async function buildReply(job: Job, server: string, { root, parent }: JobPart) {
  const first = await fetchRef(job, server, root);
  return { root: first, parent: parent.id === root.id ? first : await fetchRef(job, server, parent) };
}

async function fetchRef(job: Job, server: string, { id }: PublishedPart): Promise<StrongRef> {
  const response = await callAccountServer(job, server, {
    method: "GET",
    name: "com.atproto.repo.getRecord",
    authorized: true,
    query: { repo: job.connection.externalId, collection: COLLECTION, rkey: id?.split("/").at(-1) ?? "" },
  });
  if (getErrorName(response) === "RecordNotFound") throw parentMissing(NETWORK);
  assertSuccess(job, response);
  const [uri, cid] = [pickString(response.body, "uri"), pickString(response.body, "cid")];
  if (!uri || !cid) throw unanswered(NETWORK, "record_without_cid");
  return { uri, cid };
}

async function getServer(job: Job, handle: BlueskyHandle): Promise<string> {
  return handle.server ?? (await findAccountServer(job, job.network, job.connection.externalId));
}

function toPublished(job: Job, uri: string, { rkey, warnings }: BlueskyHandle): Published {
  const url = `https://bsky.app/profile/${job.connection.externalId}/post/${rkey}`;
  return { state: "published", platformPostId: uri, url, ...(warnings ? { warnings } : {}) };
}

/** Resolves handles to DIDs. A handle that cannot be resolved stays plain text, so that it does not block the post. */
async function resolveHandles(job: Job, server: string, handles: string[]): Promise<Map<string, string>> {
  const found = await Promise.all(
    handles.map(async (handle) => [handle, await resolveHandle(job, server, handle)] as const),
  );
  return new Map(found.filter((pair): pair is readonly [string, string] => pair[1] !== null));
}

async function resolveHandle(job: Job, server: string, handle: string): Promise<string | null> {
  try {
    const name = "com.atproto.identity.resolveHandle";
    const response = await callAccountServer(job, server, { method: "GET", name, query: { handle } });
    return pickString(response.body, "did");
  } catch {
    return null;
  }
}
