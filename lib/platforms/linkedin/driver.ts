// LinkedIn driver (Posts API): text, images, a carousel or a video, as a member or as a page.
import { withComments } from "../comments.ts";
import { isObject, type NetworkResponse, pickList, pickNumber, pickString, unanswered } from "../http.ts";
import { resolveCard } from "../link-cards.ts";
import { createRefresh } from "../oauth.ts";
import { LINKEDIN_APP } from "../oauth-apps.ts";
import {
  contentFailure,
  defineDriver,
  failure,
  getFailure,
  type Handle,
  type Job,
  type MediaFile,
  type Published,
  type PublishWarning,
} from "../platform.ts";
import { pollLater } from "../polling.ts";
import { partSent } from "../upload-session.ts";
import { NETWORK, requestRaw } from "./api.ts";
import { comments } from "./comments.ts";
import {
  type Article,
  assertPublishable,
  buildPost,
  findUndescribed,
  findViolations,
  getAuthor,
  isCarousel,
  isSamePost,
} from "./content.ts";
import { assertSuccess, DUPLICATE, findDuplicateUrn, toFailure } from "./errors.ts";
import { edit, unpublish } from "./published.ts";
import { capabilities } from "./rules.ts";
import {
  type AssetState,
  beginVideoUpload,
  continueVideoUpload,
  pollAsset,
  uploadCardImage,
  uploadCarousel,
  uploadImage,
  type VideoUpload,
} from "./upload.ts";

const CLOCK_SKEW_MS = 60_000;
const PAGE_SIZE = "50";
/** Images and documents whose status may not be read are ready this long after their upload, as for other integrations. */
const UNREADABLE_MS = 10_000;

interface LinkedInHandle extends Handle {
  /** URNs of the uploaded media; empty for text. */
  media: string[];
  startedAt: number;
  /** The card of a post without media. */
  article?: Article | null;
  /** Why the post has no card, or its video no cover. */
  warnings?: PublishWarning[];
  /** When LinkedIn had all images or the document. */
  uploadedAt?: number;
  /** While LinkedIn does not have all of the video. */
  upload?: VideoUpload;
  /** The response to an earlier publish was lost, so a duplicate may be our own post. */
  doubted?: true;
  /** The caller had the post sent again after an unknown outcome, so a duplicate is the earlier try. */
  resent?: true;
}

const publishing = defineDriver<LinkedInHandle>({
  platform: "linkedin",
  capabilities,
  connectBy: "consent",
  validate: findViolations,
  warn: findUndescribed,

  // Succeeds if the token works. Free; an app without that product gets 403 for every member, which says nothing about
  // the account.
  async check(job) {
    const response = await requestRaw(job, "GET", "v2/userinfo");
    if (response.status !== 403) assertSuccess(response);
  },

  async start(job) {
    assertPublishable(job);
    const startedAt = job.now().getTime();
    const { media } = job.content;
    if (media?.type === "video") return beginVideo(job, media.video, startedAt);
    if (!media) return { media: [], startedAt, ...(await buildArticle(job)) };
    return { media: await uploadImages(job), startedAt, uploadedAt: job.now().getTime() };
  },

  async poll(job, handle) {
    if (handle.upload) return continueUpload(job, handle, handle.upload);
    const { article } = handle;
    const thumbnail = article?.thumbnail ? await pollThumbnail(job, article.thumbnail) : null;
    if (article && thumbnail === "failed")
      return { state: "ready", handle: { ...handle, article: { ...article, thumbnail: null } } };
    const media = await Promise.all(handle.media.map((urn) => pollAsset(job, urn)));
    const states = thumbnail ? [thumbnail] : media;
    if (states.includes("processing")) return pollLater(handle);
    // An asset that is not ready after all makes LinkedIn reject the post for now: MEDIA_ASSET_WAITING_UPLOAD.
    const remainingMs = (handle.uploadedAt ?? handle.startedAt) + UNREADABLE_MS - job.now().getTime();
    if (states.includes("unreadable") && remainingMs > 0) return { state: "processing", afterMs: remainingMs };
    return { state: "ready" };
  },

  async publish(job, handle) {
    const response = await requestRaw(job, "POST", "rest/posts", {
      json: buildPost(job, handle.media, handle.article),
      irreversible: true,
    });
    if (response.status < 300)
      return toPublished(response.headers.get("x-restli-id") ?? pickString(response.body, "id"), handle.warnings);
    // A redirect, or any other response that the API does not document.
    if (response.status < 400) throw unanswered(NETWORK, `http_${response.status}`);
    const own = handle.doubted || handle.resent ? await findOwnDuplicate(job, handle, response) : null;
    if (own) return own;
    throw failure(toFailure(response));
  },

  async reconcile(job, handle) {
    const posts = await listAuthorPosts(job);
    if (!posts) return { state: "cannot_tell" };
    const found = posts.find((post) => isOwnPost(job, handle, post));
    if (found) return toPublished(pickString(found, "id"), handle.warnings);
    // Continuing from the same handle is safe: LinkedIn rejects duplicates, and `doubted` checks whether one is ours.
    return { state: "not_published", handle: { ...handle, doubted: true } };
  },

  unpublish,
  edit,
  refresh: createRefresh(LINKEDIN_APP),
});

export const linkedin = withComments(publishing, comments);

async function beginVideo(job: Job, video: MediaFile, startedAt: number): Promise<LinkedInHandle> {
  const upload = await beginVideoUpload(job, video);
  return { media: [], startedAt, upload, ...(upload.withoutCover ? { warnings: [COVER_NOT_SET] } : {}) };
}

const COVER_NOT_SET: PublishWarning = {
  code: "cover_not_set",
  message:
    "The video is published without your cover (media.cover_url), which LinkedIn did not take or which could not be fetched as a JPEG, PNG or GIF of at most 5 MB. LinkedIn has no way to set it afterwards.",
};

async function continueUpload(job: Job, handle: LinkedInHandle, begun: VideoUpload) {
  const { media } = job.content;
  if (media?.type !== "video")
    throw contentFailure("media_missing", "The video of this post is missing. Create the post again.");
  const upload = await continueVideoUpload(job, media.video, begun);
  if (upload) return partSent({ ...handle, upload });
  const { upload: _complete, ...rest } = handle;
  return partSent({ ...rest, media: [begun.video] });
}

/** Uploads sequentially, so that only one media connection is open at a time. */
async function uploadImages(job: Job): Promise<string[]> {
  const { media } = job.content;
  if (media?.type !== "slideshow") return [];
  if (isCarousel(job.content)) return [await uploadCarousel(job, media.images)];
  const urns: string[] = [];
  for (const image of media.images) urns.push(await uploadImage(job, image));
  return urns;
}

/** A card is shown without the picture that LinkedIn cannot use. */
async function pollThumbnail(job: Job, urn: string): Promise<AssetState | "failed"> {
  try {
    return await pollAsset(job, urn);
  } catch (error) {
    if (getFailure(error)?.class === "content") return "failed";
    throw error;
  }
}

/** Its picture is on the way when the post is checked, like any other. */
async function buildArticle(job: Job): Promise<Pick<LinkedInHandle, "article" | "warnings" | "uploadedAt">> {
  const { card, warnings } = await resolveCard(job);
  if (!card) return warnings ? { warnings } : {};
  const thumbnail = await uploadCardImage(job, card);
  return { article: { ...card, thumbnail }, ...(thumbnail ? { uploadedAt: job.now().getTime() } : {}) };
}

function toPublished(urn: string | null, warnings?: PublishWarning[]): Published {
  const url = urn === null ? null : `https://www.linkedin.com/feed/update/${urn}/`;
  return { state: "published", platformPostId: urn, url, ...(warnings ? { warnings } : {}) };
}

/** Lists the author's newest posts; null when LinkedIn does not allow this app to read them, which is common. */
async function listAuthorPosts(job: Job): Promise<Record<string, unknown>[] | null> {
  const response = await requestRaw(job, "GET", "rest/posts", {
    query: { q: "author", author: getAuthor(job), count: PAGE_SIZE, sortBy: "LAST_MODIFIED" },
    headers: { "x-restli-method": "FINDER" },
  });
  if (response.status === 401) throw failure(toFailure(response));
  return response.status < 300 ? pickList(response.body, "elements").filter(isObject) : null;
}

function isOwnPost(job: Job, handle: LinkedInHandle, post: unknown): boolean {
  const at = pickNumber(post, "createdAt") ?? pickNumber(post, "publishedAt") ?? 0;
  if (handle.resent) return isSamePost(job, handle.media, post);
  return at >= handle.startedAt - CLOCK_SKEW_MS && isSamePost(job, handle.media, post);
}

/**
 * Resolves a duplicate error after a lost response: the post that the error names is our own, unless LinkedIn shows
 * another one. Few apps may read posts of members; the name is then all there is. The error may also name a post that
 * does not exist; then only the caller can check.
 */
async function findOwnDuplicate(
  job: Job,
  handle: LinkedInHandle,
  response: NetworkResponse,
): Promise<Published | null> {
  if (toFailure(response).code !== DUPLICATE) return null;
  const urn = findDuplicateUrn(response);
  const post = urn === null ? null : await fetchPost(job, urn);
  if (post === "hidden") return toPublished(urn);
  if (post) return isOwnPost(job, handle, post) ? toPublished(urn) : null;
  throw contentFailure(
    DUPLICATE,
    "LinkedIn reports this post as a duplicate after its response was lost. Check the account. If the post is not there, change the text and create the post again.",
  );
}

/** `hidden`: we may not read it. Returns null for other rejections; throws `unanswered` when there is no response. */
async function fetchPost(job: Job, urn: string): Promise<Record<string, unknown> | "hidden" | null> {
  try {
    const response = await requestRaw(job, "GET", `rest/posts/${encodeURIComponent(urn)}`);
    if (response.status === 403) return "hidden";
    return response.status < 300 ? response.body : null;
  } catch {
    throw unanswered(NETWORK, "duplicate_unread");
  }
}
