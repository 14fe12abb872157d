// X driver (API v2): uploads media in segments, then creates the post; the timeline shows the outcome of a lost request.
import { pickList, pickString, unanswered } from "../http.ts";
import { createRefresh } from "../oauth.ts";
import { X_APP } from "../oauth-apps.ts";
import { defineDriver, failure, type Handle, type Job, type Published } from "../platform.ts";
import { inconclusiveIfRejected } from "../reconcile-errors.ts";
import { partSent } from "../upload-session.ts";
import { assertWithinLimits } from "../violations.ts";
import { request } from "./api.ts";
import {
  buildTweet,
  findViolations,
  findWarnings,
  getLimits,
  isSamePost,
  listMediaItems,
  type MediaItem,
  toUrl,
} from "./content.ts";
import { NETWORK, processingFailed } from "./errors.ts";
import { edit, unpublish } from "./published.ts";
import { capabilities } from "./rules.ts";
import {
  beginUpload,
  describeMedia,
  finishUpload,
  isSegmented,
  pollUpload,
  type SegmentedUpload,
  sendNextSegment,
  type UploadedMedia,
  uploadWhole,
} from "./upload.ts";

/** Tolerance for an X clock that is behind ours, when searching the timeline. */
const CLOCK_SKEW_MS = 30_000;
/** Size of the timeline search, newest first: a retry may run days after the post was sent. */
const PAGE_SIZE = "100";
const MAX_PAGES = 5;

interface XHandle extends Handle {
  mediaIds: string[];
  /** Media that X was still processing after the upload. */
  pending: string[];
  startedAt: number;
  /** The upload of the only medium, while X does not have all of it. */
  upload?: SegmentedUpload;
}

/** Without `check`: X charges $0.010 for each user read. */
export const twitter = defineDriver<XHandle>({
  platform: "twitter",
  capabilities,
  connectBy: "consent",
  validate: findViolations,
  warn: findWarnings,
  limits: getLimits,

  async start(job) {
    assertWithinLimits(job.content, capabilities, NETWORK, findViolations(job.content));
    const startedAt = job.now().getTime();
    const pieces = listMediaItems(job.content);
    const [first] = pieces;
    if (first && isSegmented(first)) {
      return { mediaIds: [], pending: [], startedAt, upload: await beginUpload(job, first) };
    }
    const uploads = [];
    for (const piece of pieces) uploads.push(await uploadWhole(job, piece));
    return { ...toMediaIds(uploads), startedAt };
  },

  async poll(job, handle) {
    const [first] = listMediaItems(job.content);
    if (handle.upload && first) return continueUpload(job, first, handle, handle.upload);
    for (const id of handle.pending) {
      const state = await pollUpload(job, id);
      if ("failed" in state) throw failure(processingFailed(state.failed));
      if (!state.done) return { state: "processing", afterMs: state.afterMs };
    }
    return { state: "ready" };
  },

  async publish(job, handle) {
    const response = await request(job, "POST", "tweets", {
      json: buildTweet(job, handle.mediaIds),
      irreversible: true,
    });
    const id = pickString(response.body, "data", "id");
    if (!id) throw unanswered(NETWORK, "post_without_id");
    return toPublished(id);
  },

  reconcile: (job, handle) => inconclusiveIfRejected(findPost(job, handle)),

  unpublish,
  edit,
  refresh: createRefresh(X_APP),
});

async function continueUpload(job: Job, piece: MediaItem, handle: XHandle, begun: SegmentedUpload) {
  const upload = await sendNextSegment(job, piece, begun);
  if (upload) return partSent({ ...handle, upload });
  const { upload: _complete, ...rest } = handle;
  const uploaded = await finishUpload(job, begun);
  await describeMedia(job, uploaded.id, piece);
  return partSent({ ...rest, ...toMediaIds([uploaded]) });
}

function toMediaIds(uploads: UploadedMedia[]) {
  return {
    mediaIds: uploads.map(({ id }) => id),
    pending: uploads.filter(({ pending }) => pending).map(({ id }) => id),
  };
}

async function findPost(job: Job, handle: XHandle): Promise<Published | { state: "not_published" | "cannot_tell" }> {
  const since = handle.startedAt - CLOCK_SKEW_MS;
  let next: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { body } = await request(job, "GET", `users/${job.connection.externalId}/tweets`, {
      query: {
        max_results: PAGE_SIZE,
        start_time: new Date(since).toISOString().replace(/\.\d{3}Z$/, "Z"),
        // Named so since openapi.json 2.167; before it was
        // `tweet.fields`, and `note_tweet`.
        "post.fields": "created_at,attachments,entities,note_post",
        pagination_token: next,
      },
    });
    const posts = pickList(body, "data");
    const earlier = job.part?.earlier.map((part) => part.id) ?? [];
    const own = posts.find(
      (post) => !earlier.includes(pickString(post, "id")) && isSamePost(post, job.content.caption, handle.mediaIds),
    );
    const id = pickString(own, "id");
    if (id) return toPublished(id);
    // The prose pages of X still name the parameter `tweet.fields`. Posts without the fields that were asked for cannot be
    // recognised, so their difference proves nothing.
    if (posts.some((post) => pickString(post, "created_at") === null)) return { state: "cannot_tell" };
    next = pickString(body, "meta", "next_token") ?? undefined;
    // X would publish the same text and media twice, so the next attempt starts over without a handle.
    if (!next) return { state: "not_published" };
  }
  return { state: "cannot_tell" };
}

function toPublished(id: string): Published {
  return { state: "published", platformPostId: id, url: toUrl(id) };
}
