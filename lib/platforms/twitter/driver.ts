// X's API v2: media uploaded in segments, then one create call; the timeline tells what became of a lost one.
import { pickList, pickString, unanswered } from "../http.ts";
import { basicAuth, tradeRefreshToken } from "../oauth.ts";
import { type Driver, failure, type Handle, type Job, type Published } from "../platform.ts";
import { unlessRefused } from "../question.ts";
import { holdTo } from "../violations.ts";
import { isSamePost, limitsOf, piecesOf, tweetOf, violationsOf } from "./content.ts";
import { NETWORK, processingFailed, refreshRefused } from "./errors.ts";
import { capabilities } from "./rules.ts";
import { api, askUpload, uploadPiece } from "./upload.ts";

/** How far X's clock may lie behind ours when a post is looked for on the timeline. */
const CLOCK_SKEW_MS = 30_000;
/** Own posts looked through, the newest first: a retry may come days after the post that it looks for. */
const PAGE_SIZE = "100";
const PAGES_AT_MOST = 5;

interface XHandle extends Handle {
  mediaIds: string[];
  /** Those that X still worked on when they were handed over. */
  pending: string[];
  startedAt: number;
}

export const twitter: Driver = {
  platform: "twitter",
  capabilities,
  validate: violationsOf,
  limits: limitsOf,

  async start(job) {
    holdTo(job.content, capabilities, NETWORK, violationsOf(job.content));
    const startedAt = job.now().getTime();
    const uploads = [];
    for (const piece of piecesOf(job.content)) uploads.push(await uploadPiece(job, piece));
    return {
      mediaIds: uploads.map(({ id }) => id),
      pending: uploads.filter(({ pending }) => pending).map(({ id }) => id),
      startedAt,
    };
  },

  async poll(job, stored) {
    const handle = stored as XHandle;
    for (const id of handle.pending) {
      const state = await askUpload(job, id);
      if ("failed" in state) throw failure(processingFailed(state.failed));
      if (!state.done) return { state: "processing", afterMs: state.afterMs };
    }
    return { state: "ready" };
  },

  async publish(job, stored) {
    const handle = stored as XHandle;
    const reply = await api(job, "POST", "tweets", { json: tweetOf(job.content, handle.mediaIds), irreversible: true });
    const id = pickString(reply.body, "data", "id");
    if (!id) throw unanswered(NETWORK, "post_without_id");
    return published(id);
  },

  reconcile: (job, stored) => unlessRefused(lookUp(job, stored as XHandle)),

  refresh(network, { refreshToken }, io) {
    return tradeRefreshToken(io, {
      network: NETWORK,
      url: `${network.baseUrl}/2/oauth2/token`,
      refreshToken,
      headers: basicAuth(network),
      client: { client_id: network.clientId },
      refused: refreshRefused,
    });
  },
};

async function lookUp(job: Job, handle: XHandle): Promise<Published | { state: "not_published" | "cannot_tell" }> {
  const since = handle.startedAt - CLOCK_SKEW_MS;
  let next: string | undefined;
  for (let page = 0; page < PAGES_AT_MOST; page++) {
    const { body } = await api(job, "GET", `users/${job.connection.externalId}/tweets`, {
      query: {
        max_results: PAGE_SIZE,
        start_time: new Date(since).toISOString().replace(/\.\d{3}Z$/, "Z"),
        "tweet.fields": "created_at,attachments,entities,note_tweet",
        pagination_token: next,
      },
    });
    const mine = pickList(body, "data").find((post) => isSamePost(post, job.content.caption, handle.mediaIds));
    const id = pickString(mine, "id");
    if (id) return published(id);
    next = pickString(body, "meta", "next_token") ?? undefined;
    // X would publish the same words with the same media twice, so the next try begins anew.
    if (!next) return { state: "not_published" };
  }
  return { state: "cannot_tell" };
}

function published(id: string): Published {
  return { state: "published", platformPostId: id, url: `https://x.com/i/web/status/${id}` };
}
