// Videos of a page: an upload session, then one call that publishes the uploaded video.
// Bytes are uploaded, not fetched by `file_url`: its response alone has the video's id, so a lost one could not be reconciled.
import { type DownloadedImage, downloadImage } from "../../media/download-image.ts";
import { pick, pickString, unanswered } from "../http.ts";
import { getMediaSize } from "../media.ts";
import {
  type Failure,
  failure,
  getFailure,
  type Handle,
  type Job,
  type MediaFile,
  type Processing,
  type Published,
} from "../platform.ts";
import { pollLater } from "../polling.ts";
import { assertPublishable, buildText, getTitle } from "./content.ts";
import { NETWORK, requestGraph } from "./graph.ts";
import { capabilities, FACEBOOK } from "./rules.ts";
import { type ByteWindow, readWindow, sendVideo } from "./upload.ts";
import { fetchStatus } from "./video-status.ts";

const COVER_TIMEOUT_MS = 60_000;

export interface VideoHandle extends Handle {
  kind: "video";
  videoId: string;
  sessionId: string;
  size: number;
  first: ByteWindow;
  sent?: true;
  /** The caller's cover could not be used. */
  withoutCover?: true;
}

export async function startVideo(job: Job, video: MediaFile): Promise<VideoHandle> {
  assertPublishable(job.content);
  const size = await getMediaSize(job, video);
  const response = await requestGraph(job, "POST", `${job.connection.externalId}/videos`, {
    form: { upload_phase: "start", file_size: String(size) },
  });
  const videoId = pickString(response.body, "video_id");
  const sessionId = pickString(response.body, "upload_session_id");
  const first = readWindow(response.body, size);
  if (!videoId || !sessionId || !first) throw unanswered(NETWORK, "session_without_id");
  return { kind: "video", videoId, sessionId, size, first };
}

export async function publishVideo(
  job: Job,
  handle: VideoHandle,
  video: MediaFile,
): Promise<{ state: "sent"; handle: Handle }> {
  // A repeated publish continues the upload instead of sending bytes twice.
  const seen = await fetchVideo(job, handle).catch(toUnpublished);
  if (seen.phase === "unfinished") {
    const window = getResumeWindow(handle, seen.arrived);
    await sendVideo(job, handle, { url: video.url, mimeType: video.mimeType ?? "video/mp4" }, window);
    const cover = await loadCover(job);
    await finishUpload(job, handle, cover);
    const isMissing = cover === null && job.content.cover?.image !== undefined;
    return { state: "sent", handle: { ...handle, sent: true, ...(isMissing ? { withoutCover: true } : {}) } };
  }
  if (seen.phase === "failed") throw failure(seen.failed);
  return { state: "sent", handle: { ...handle, sent: true } };
}

/** A read without a response leaves nothing unknown: the call that publishes was not sent. */
function toUnpublished(error: unknown): never {
  const failed = getFailure(error);
  throw failed?.class === "unanswered" ? failure({ ...failed, class: "transient" }) : error;
}

/** Returns the first missing bytes; Facebook corrects the offset if it received other bytes than it reported. */
function getResumeWindow({ first, size }: VideoHandle, arrived: number): ByteWindow {
  if (arrived <= first.start) return first;
  return { start: Math.min(arrived, size), end: Math.min(arrived + FACEBOOK.resumeChunkBytes, size) };
}

/** Read whole before the call that publishes, so that a slow host of the image leaves no outcome open. */
async function loadCover(job: Job): Promise<DownloadedImage | null> {
  const { cover, images } = capabilities;
  const url = job.content.cover?.image?.url;
  const limits = { types: images.types, maxBytes: cover?.maxBytes ?? 0 };
  return url === undefined ? null : downloadImage(job.fetchMedia, url, limits);
}

async function finishUpload(job: Job, handle: VideoHandle, cover: DownloadedImage | null): Promise<void> {
  const { message } = buildText(job.content);
  const title = getTitle(job.content);
  const fields = {
    ...{ upload_phase: "finish", upload_session_id: handle.sessionId, description: message, published: "true" },
    ...(title === undefined ? {} : { title }),
  };
  const response = await requestGraph(job, "POST", `${job.connection.externalId}/videos`, {
    ...(cover ? { body: toMultipart(fields, cover), timeoutMs: COVER_TIMEOUT_MS } : { form: fields }),
    irreversible: true,
  });
  if (pick(response.body, "success") !== true) throw unanswered(NETWORK, "finish_without_success");
}

function toMultipart(fields: Record<string, string>, { bytes, type }: DownloadedImage): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("thumb", new Blob([bytes], { type }), "cover");
  return form;
}

export async function pollVideo(job: Job, handle: VideoHandle): Promise<Published | Processing | { state: "ready" }> {
  if (!handle.sent) return { state: "ready" };
  const seen = await fetchVideo(job, handle);
  if (seen.phase === "failed") throw failure(seen.failed);
  if (seen.phase === "out") return toPublished(handle, seen.url);
  return pollLater(handle);
}

function toPublished({ videoId, withoutCover }: VideoHandle, url: string): Published {
  const message =
    "The video is published without your cover (media.cover_url), which could not be fetched as an image of at most 10 MB. Set it on Facebook: edit the video, then Thumbnail.";
  const warnings = withoutCover ? [{ code: "cover_not_set", message }] : [];
  return { state: "published", platformPostId: videoId, url, ...(withoutCover ? { warnings } : {}) };
}

export async function reconcileVideo(
  job: Job,
  handle: VideoHandle,
): Promise<Published | Processing | { state: "not_published"; handle?: Handle }> {
  const seen = await fetchVideo(job, handle);
  if (seen.phase === "out") return toPublished(handle, seen.url);
  if (seen.phase === "busy") return pollLater(handle);
  // A session creates one video, so continuing it cannot create a second one.
  if (seen.phase === "unfinished") return { state: "not_published", handle };
  if (seen.failed.class === "content" || seen.failed.class === "account") throw failure(seen.failed);
  return { state: "not_published" };
}

/** unfinished: not finished by us yet. busy: finished, and Facebook is processing the video. */
type VideoState =
  | { phase: "unfinished"; arrived: number }
  | { phase: "busy" }
  | { phase: "out"; url: string }
  | { phase: "failed"; failed: Failure };

async function fetchVideo(job: Job, handle: VideoHandle): Promise<VideoState> {
  const status = await fetchStatus(job, handle.videoId);
  if (!status) return { phase: "unfinished", arrived: 0 };
  const { state, processing, publishing, failed } = status;
  if (failed) return { phase: "failed", failed };
  const published = publishing === "complete" || status.published;
  if (state === "ready" && (published || publishing === null)) return { phase: "out", url: status.url };
  const begun = [processing, publishing].some((one) => one !== null && one !== "not_started");
  if (begun || state === "ready" || state === "processing") return { phase: "busy" };
  return { phase: "unfinished", arrived: status.bytes };
}
