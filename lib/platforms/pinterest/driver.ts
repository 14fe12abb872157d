// Pinterest driver (API v5): Pinterest pulls images from their URLs, videos are uploaded; one call creates the pin.
import { DAY_MS } from "../../shared/durations.ts";
import { pickList, pickString, unanswered } from "../http.ts";
import { createRefresh } from "../oauth.ts";
import { PINTEREST_APP } from "../oauth-apps.ts";
import { defineDriver, failure, type Handle, type Job, type Published } from "../platform.ts";
import { pollLater } from "../polling.ts";
import { inconclusiveIfRejected } from "../reconcile-errors.ts";
import { NETWORK, request, requestRaw } from "./api.ts";
import {
  assertPublishable,
  buildPin,
  findViolations,
  findWarnings,
  getBoardId,
  getCreatedAt,
  isSamePin,
  requireMedia,
} from "./content.ts";
import { assertSuccess, toLostUploadFailure, toProcessingFailure } from "./errors.ts";
import { edit, unpublish } from "./published.ts";
import { capabilities } from "./rules.ts";
import { uploadVideo } from "./upload.ts";

/** Tolerance for a Pinterest clock that is behind ours, when searching a board. */
const CLOCK_SKEW_MS = 60_000;
/** The most that a page holds. */
const PAGE_SIZE = "250";
const MAX_PAGES = 8;

interface PinterestHandle extends Handle {
  startedAt: number;
  /** Ids of earlier pins with the same text, which are not ours. */
  before: string[];
  /** The uploaded video; images need no upload. */
  mediaId?: string;
}

/** Access tokens are valid for 30 days and refresh tokens for 60, from the last refresh. */
const REFRESH_AHEAD_MS = DAY_MS;

export const pinterest = defineDriver<PinterestHandle>({
  platform: "pinterest",
  capabilities,
  connectBy: "consent",
  refreshAheadMs: REFRESH_AHEAD_MS,
  validate: findViolations,
  warn: findWarnings,

  async check(job) {
    await request(job, "GET", `boards/${getBoardId(job.content)}`);
  },

  async start(job) {
    const media = requireMedia(job.content);
    assertPublishable(job.content);
    const startedAt = job.now().getTime();
    // Checks the board before the upload: it may be deleted or belong to another account.
    await request(job, "GET", `boards/${getBoardId(job.content)}`);
    const found = await inconclusiveIfRejected(listMatchingPins(job, startedAt));
    const before = found.state === "seen" ? found.ids : [];
    if (media.type !== "video") return { startedAt, before };
    return { startedAt, before, mediaId: await uploadVideo(job, media.video) };
  },

  async poll(job, handle) {
    const { mediaId } = handle;
    if (!mediaId) return { state: "ready" };
    const response = await requestRaw(job, "GET", `media/${mediaId}`);
    if (response.status === 404) throw failure(toLostUploadFailure("media_lost"));
    assertSuccess(response);
    const status = pickString(response.body, "status");
    if (status === "failed") throw failure(toProcessingFailure());
    return status === "succeeded" ? { state: "ready" } : pollLater(handle);
  },

  async publish(job, handle) {
    const { mediaId } = handle;
    const response = await request(job, "POST", "pins", {
      json: buildPin(job.content, mediaId ?? null),
      irreversible: true,
    });
    const id = pickString(response.body, "id");
    if (!id) throw unanswered(NETWORK, "pin_without_id");
    return toPublished(id);
  },

  reconcile: (job, handle) => inconclusiveIfRejected(findPin(job, handle)),

  unpublish,
  edit,
  refresh: createRefresh(PINTEREST_APP),
});

function toPublished(id: string): Published {
  return { state: "published", platformPostId: id, url: `https://www.pinterest.com/pin/${id}/` };
}

/** Searches the board for the pin. Returns no handle, because Pinterest would create a second pin. */
async function findPin(
  job: Job,
  { startedAt, before }: PinterestHandle,
): Promise<Published | { state: "not_published" | "cannot_tell" }> {
  const { ids, all } = await listMatchingPins(job, startedAt);
  const own = ids.find((id) => !before.includes(id));
  if (own) return toPublished(own);
  return { state: all ? "not_published" : "cannot_tell" };
}

/**
 * Lists the board's pins with the text of this post, created since then. Pinterest promises no order, so a pin is
 * missing only when all pages were read; `all` is false when there are too many.
 */
async function listMatchingPins(job: Job, startedAt: number): Promise<{ state: "seen"; ids: string[]; all: boolean }> {
  const since = startedAt - CLOCK_SKEW_MS;
  const ids: string[] = [];
  let bookmark: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { page_size: PAGE_SIZE, bookmark };
    const { body } = await request(job, "GET", `boards/${getBoardId(job.content)}/pins`, { query });
    const pins = pickList(body, "items");
    const same = pins.filter((pin) => getCreatedAt(pin) >= since && isSamePin(pin, job.content));
    ids.push(...same.map((pin) => pickString(pin, "id")).filter((id) => id !== null));
    bookmark = pickString(body, "bookmark") ?? undefined;
    if (!bookmark) return { state: "seen", ids, all: true };
  }
  return { state: "seen", ids, all: false };
}
