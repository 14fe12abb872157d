// Bluesky's AT Protocol: media as blobs, then one record under a key that belongs to the delivery.
import { pickString, unanswered } from "../http.ts";
import type { Driver, Handle, Job, Published } from "../platform.ts";
import { unlessRefused } from "../question.ts";
import { holdTo } from "../violations.ts";
import { expectSuccess, NETWORK, nameOf, xrpc } from "./errors.ts";
import { askVideo, imagesEmbed, uploadVideo, videoEmbed } from "./media.ts";
import { recordKey } from "./record-key.ts";
import { capabilities } from "./rules.ts";
import { refresh } from "./session.ts";
import { type Facet, facetsOf, handlesIn } from "./text.ts";

const COLLECTION = "app.bsky.feed.post";
const POLL_MS = 3_000;

interface BlueskyHandle extends Handle {
  rkey: string;
  facets: Facet[];
  embed?: Record<string, unknown>;
  /** The job that prepares the video; its blob becomes the embed. */
  videoJob?: string;
}

export const bluesky: Driver = {
  platform: "bluesky",
  capabilities,
  refresh,

  async start(job) {
    const { caption, media } = job.content;
    holdTo(job.content, capabilities, NETWORK, []);
    const rkey = await recordKey(job.deliveryId);
    const facets = facetsOf(caption, await resolveHandles(job, handlesIn(caption)));
    if (!media) return { rkey, facets };
    if (media.type === "video") return { rkey, facets, videoJob: await uploadVideo(job, media.video) };
    return { rkey, facets, embed: await imagesEmbed(job, media.images) };
  },

  async poll(job, stored) {
    const handle = stored as BlueskyHandle;
    const { media } = job.content;
    if (!handle.videoJob || handle.embed || media?.type !== "video") return { state: "ready" };
    const blob = await askVideo(job, handle.videoJob);
    if (!blob) return { state: "processing", afterMs: POLL_MS };
    return { state: "ready", handle: { ...handle, embed: videoEmbed(blob, media.video) } };
  },

  async publish(job, stored) {
    const { rkey, facets, embed } = stored as BlueskyHandle;
    const reply = await xrpc(job, job.network.baseUrl, {
      method: "POST",
      name: "com.atproto.repo.createRecord",
      token: job.connection.accessToken,
      irreversible: true,
      json: {
        repo: job.connection.externalId,
        collection: COLLECTION,
        rkey,
        record: {
          $type: COLLECTION,
          text: job.content.caption,
          createdAt: job.now().toISOString(),
          ...(facets.length > 0 ? { facets } : {}),
          ...(embed ? { embed } : {}),
        },
      },
    });
    // The key is taken, and only this delivery has it: the record that is there is ours.
    if (reply.status >= 400 && /exist/i.test(nameOf(reply))) throw unanswered(NETWORK, "record_exists");
    expectSuccess(job, reply);
    const uri = pickString(reply.body, "uri");
    if (!uri) throw unanswered(NETWORK, "record_without_uri");
    return published(job, uri, rkey);
  },

  reconcile: (job, stored) => unlessRefused(lookUp(job, stored as BlueskyHandle)),
};

async function lookUp(
  job: Job,
  handle: BlueskyHandle,
): Promise<Published | { state: "not_published"; handle: Handle }> {
  const reply = await xrpc(job, job.network.baseUrl, {
    method: "GET",
    name: "com.atproto.repo.getRecord",
    token: job.connection.accessToken,
    query: { repo: job.connection.externalId, collection: COLLECTION, rkey: handle.rkey },
  });
  // The key is the delivery's own, so that going on can only ever make this one record.
  if (nameOf(reply) === "RecordNotFound") return { state: "not_published", handle };
  expectSuccess(job, reply);
  const uri = pickString(reply.body, "uri");
  if (!uri) throw unanswered(NETWORK, "record_without_uri");
  return published(job, uri, handle.rkey);
}

function published(job: Job, uri: string, rkey: string): Published {
  const url = `https://bsky.app/profile/${job.connection.externalId}/post/${rkey}`;
  return { state: "published", platformPostId: uri, url };
}

/** Accounts behind handles. One that can not be found now stays a plain word: no post waits for a mention. */
async function resolveHandles(job: Job, handles: string[]): Promise<Map<string, string>> {
  const found = await Promise.all(handles.map(async (handle) => [handle, await didOf(job, handle)] as const));
  return new Map(found.filter((pair): pair is readonly [string, string] => pair[1] !== null));
}

async function didOf(job: Job, handle: string): Promise<string | null> {
  try {
    const name = "com.atproto.identity.resolveHandle";
    const reply = await xrpc(job, job.network.baseUrl, { method: "GET", name, query: { handle } });
    return pickString(reply.body, "did");
  } catch {
    return null;
  }
}
