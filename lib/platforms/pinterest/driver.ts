// Pinterest's API v5: pictures are pulled from their URLs, videos uploaded; one call makes the pin.
import { pickList, pickString, unanswered } from "../http.ts";
import { basicAuth, tradeRefreshToken } from "../oauth.ts";
import { type Driver, failure, type Handle, type Job, type Published } from "../platform.ts";
import { unlessRefused } from "../question.ts";
import { boardOf, checkPin, isSamePin, madeAt, mediaOf, pinOf, violationsOf } from "./content.ts";
import { api, expectSuccess, NETWORK, processingFailed, rawApi, refreshRefused, uploadLost } from "./errors.ts";
import { capabilities } from "./rules.ts";
import { uploadVideo } from "./upload.ts";

const POLL_MS = 5_000;
/** How far Pinterest's clock may lie behind ours when a pin is looked for on its board. */
const CLOCK_SKEW_MS = 60_000;
const PAGE_SIZE = "100";
const PAGES_AT_MOST = 5;

interface PinterestHandle extends Handle {
  startedAt: number;
  /** Pins of the board that already had the same words: none of them is ours. */
  before: string[];
  /** The uploaded video; pictures need nothing before the pin. */
  mediaId?: string;
}

/** Access lasts 30 days and the refresh token 60, counted from the last trade. */
const RENEW_AHEAD_MS = 24 * 3_600_000;

export const pinterest: Driver = {
  platform: "pinterest",
  capabilities,
  renewAheadMs: RENEW_AHEAD_MS,
  validate: violationsOf,

  async start(job) {
    const media = mediaOf(job.content);
    checkPin(job.content);
    const startedAt = job.now().getTime();
    // A board that is gone or not the account's own is told before anything is uploaded.
    await api(job, "GET", `boards/${boardOf(job.content)}`, {});
    const seen = await unlessRefused(samePins(job, startedAt));
    const before = seen.state === "seen" ? seen.ids : [];
    if (media.type !== "video") return { startedAt, before };
    return { startedAt, before, mediaId: await uploadVideo(job, media.video) };
  },

  async poll(job, stored) {
    const { mediaId } = stored as PinterestHandle;
    if (!mediaId) return { state: "ready" };
    const reply = await rawApi(job, "GET", `media/${mediaId}`, {});
    if (reply.status === 404) throw failure(uploadLost("media_lost"));
    expectSuccess(reply);
    const status = pickString(reply.body, "status");
    if (status === "failed") throw failure(processingFailed());
    return status === "succeeded" ? { state: "ready" } : { state: "processing", afterMs: POLL_MS };
  },

  async publish(job, stored) {
    const { mediaId } = stored as PinterestHandle;
    const reply = await api(job, "POST", "pins", { json: pinOf(job.content, mediaId ?? null), irreversible: true });
    const id = pickString(reply.body, "id");
    if (!id) throw unanswered(NETWORK, "pin_without_id");
    return published(id);
  },

  reconcile: (job, stored) => unlessRefused(lookUp(job, stored as PinterestHandle)),

  refresh(network, { refreshToken }, io) {
    return tradeRefreshToken(io, {
      network: NETWORK,
      url: `${network.baseUrl}/v5/oauth/token`,
      refreshToken,
      headers: basicAuth(network),
      client: {},
      refused: refreshRefused,
    });
  },
};

function published(id: string): Published {
  return { state: "published", platformPostId: id, url: `https://www.pinterest.com/pin/${id}/` };
}

/** Looks for the pin among those of its board since the start. A second pin would be one too many: no handle. */
async function lookUp(
  job: Job,
  { startedAt, before }: PinterestHandle,
): Promise<Published | { state: "not_published" | "cannot_tell" }> {
  const { ids, all } = await samePins(job, startedAt);
  const mine = ids.find((id) => !before.includes(id));
  if (mine) return published(mine);
  return { state: all ? "not_published" : "cannot_tell" };
}

/** Pins of the board with the words of this post, made since then; `all` is false when the board has too many to read. */
async function samePins(job: Job, startedAt: number): Promise<{ state: "seen"; ids: string[]; all: boolean }> {
  const since = startedAt - CLOCK_SKEW_MS;
  const ids: string[] = [];
  let bookmark: string | undefined;
  for (let page = 0; page < PAGES_AT_MOST; page++) {
    const query = { page_size: PAGE_SIZE, bookmark };
    const { body } = await api(job, "GET", `boards/${boardOf(job.content)}/pins`, { query });
    const pins = pickList(body, "items");
    const same = pins.filter((pin) => madeAt(pin) >= since && isSamePin(pin, job.content));
    ids.push(...same.map((pin) => pickString(pin, "id")).filter((id) => id !== null));
    bookmark = pickString(body, "bookmark") ?? undefined;
    // The newest come first, so that an older one ends the search.
    if (!bookmark || pins.some((pin) => madeAt(pin) < since)) return { state: "seen", ids, all: true };
  }
  return { state: "seen", ids, all: false };
}
