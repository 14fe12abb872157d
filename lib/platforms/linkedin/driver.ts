// LinkedIn's Posts API: text, images, a carousel of images or a video, as a member or as a page.
import { isObject, pickList, pickNumber, pickString, type Reply, unanswered } from "../http.ts";
import { tradeRefreshToken } from "../oauth.ts";
import { type Driver, failure, type Handle, type Job, type Published } from "../platform.ts";
import { authorOf, checkPost, isCarousel, isSamePost, postOf, refused, violationsOf } from "./content.ts";
import { DUPLICATE, duplicateOf, explain, signedOut } from "./errors.ts";
import { capabilities } from "./rules.ts";
import { askAsset, uploadCarousel, uploadImage, uploadVideo } from "./upload.ts";
import { NETWORK, rawRest, tokenUrl } from "./wire.ts";

const POLL_MS = 3_000;
const CLOCK_SKEW_MS = 60_000;
const LOOK_AT = "50";

interface LinkedInHandle extends Handle {
  /** URNs of what was uploaded; none for text. */
  media: string[];
  startedAt: number;
  /** An earlier publish lost its answer, so a duplicate may be our own post. */
  doubted?: true;
}

export const linkedin: Driver = {
  platform: "linkedin",
  capabilities,
  validate: violationsOf,

  async start(job) {
    checkPost(job);
    const startedAt = job.now().getTime();
    return { media: await uploadAll(job), startedAt };
  },

  async poll(job, stored) {
    const { media } = stored as LinkedInHandle;
    const states = await Promise.all(media.map((urn) => askAsset(job, urn)));
    const ready = states.every(({ state }) => state === "available");
    return ready ? { state: "ready" } : { state: "processing", afterMs: POLL_MS };
  },

  async publish(job, stored) {
    const handle = stored as LinkedInHandle;
    const reply = await rawRest(job, "POST", "posts", { json: postOf(job, handle.media), irreversible: true });
    if (reply.status < 300) return publishedAs(reply.headers.get("x-restli-id") ?? pickString(reply.body, "id"));
    // A redirect, or any other answer that the API does not know.
    if (reply.status < 400) throw unanswered(NETWORK, `http_${reply.status}`);
    const own = handle.doubted ? await ownDuplicate(job, handle, reply) : null;
    if (own) return own;
    throw failure(explain(reply));
  },

  async reconcile(job, stored) {
    const handle = stored as LinkedInHandle;
    const posts = await authorsPosts(job);
    if (!posts) return { state: "cannot_tell" };
    const found = posts.find((post) => isOurs(job, handle, post));
    if (found) return publishedAs(pickString(found, "id"));
    // Going on from the same handle is safe: LinkedIn refuses the same post twice, and `doubted` reads its refusal.
    return { state: "not_published", handle: { ...handle, doubted: true } };
  },

  refresh(network, { refreshToken }, io) {
    return tradeRefreshToken(io, {
      network: NETWORK,
      url: tokenUrl(network.baseUrl),
      refreshToken,
      client: { client_id: network.clientId, client_secret: network.clientSecret },
      refused: (reason) => (reason === "no_refresh_token" ? signedOut(reason) : refreshRefused(reason)),
    });
  },
};

/** Only a dead grant is the account's; a refused client is our own configuration and must not cost the connection. */
function refreshRefused(code: string) {
  if (code !== "invalid_client" && code !== "invalid_client_id") return signedOut(code);
  const message = "LinkedIn refused this service's own sign-in. We mend that and try again by ourselves.";
  return { class: "transient", code, message } as const;
}

/** One after the other, so that a slideshow never holds more than one file's connection open. */
async function uploadAll(job: Job): Promise<string[]> {
  const { media } = job.content;
  if (!media) return [];
  if (media.type === "video") return [await uploadVideo(job, media.video)];
  if (isCarousel(job.content)) return [await uploadCarousel(job, media.images)];
  const urns: string[] = [];
  for (const image of media.images) urns.push(await uploadImage(job, image));
  return urns;
}

function publishedAs(urn: string | null): Published {
  const url = urn === null ? null : `https://www.linkedin.com/feed/update/${urn}/`;
  return { state: "published", platformPostId: urn, url };
}

/** The author's newest posts; null when LinkedIn does not show them to this app, as it does for few. */
async function authorsPosts(job: Job): Promise<Record<string, unknown>[] | null> {
  const reply = await rawRest(job, "GET", "posts", {
    query: { q: "author", author: authorOf(job), count: LOOK_AT, sortBy: "LAST_MODIFIED" },
    headers: { "x-restli-method": "FINDER" },
  });
  if (reply.status === 401) throw failure(explain(reply));
  return reply.status < 300 ? pickList(reply.body, "elements").filter(isObject) : null;
}

function isOurs(job: Job, handle: LinkedInHandle, post: unknown): boolean {
  const at = pickNumber(post, "createdAt") ?? pickNumber(post, "publishedAt") ?? 0;
  return at >= handle.startedAt - CLOCK_SKEW_MS && isSamePost(job, handle.media, post);
}

/**
 * What a duplicate refusal means after a lost answer: our own post, when LinkedIn shows the one that it names.
 * It may also name one that does not exist, and then only a person can look.
 */
async function ownDuplicate(job: Job, handle: LinkedInHandle, refusal: Reply): Promise<Published | null> {
  if (explain(refusal).code !== DUPLICATE) return null;
  const urn = duplicateOf(refusal);
  const named = urn === null ? null : await readPost(job, urn);
  if (named) return isOurs(job, handle, named) ? publishedAs(urn) : null;
  throw refused(
    DUPLICATE,
    "LinkedIn says that it has this post, after an answer of it was lost. Look at the account: if the post is not there, change the text and post again.",
  );
}

/** Null when LinkedIn does not show the post; a question without an answer leaves the outcome open. */
async function readPost(job: Job, urn: string): Promise<Record<string, unknown> | null> {
  try {
    const reply = await rawRest(job, "GET", `posts/${encodeURIComponent(urn)}`, {});
    return reply.status < 300 ? reply.body : null;
  } catch {
    throw unanswered(NETWORK, "duplicate_unread");
  }
}
