// Videos of a page: an upload session, then one call that publishes the uploaded video.
// Bytes are uploaded, not fetched by `file_url`: its response alone has the video's id, so a lost one could not be reconciled.
import { pick, pickList, pickNumber, pickString, unanswered } from "../http.ts";
import { getMediaSize } from "../media.ts";
import { assertSuccess, readMetaError, toMetaFailure } from "../meta.ts";
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
import { assertPublishable, buildText } from "./content.ts";
import { DIALECT } from "./errors.ts";
import { NETWORK, requestGraph, requestGraphRaw } from "./graph.ts";
import { FACEBOOK } from "./rules.ts";
import { type ByteWindow, readWindow, sendVideo } from "./upload.ts";

export interface VideoHandle extends Handle {
  kind: "video";
  videoId: string;
  sessionId: string;
  size: number;
  first: ByteWindow;
  sent?: true;
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
  const { message } = buildText(job.content);
  // A repeated publish continues the upload instead of sending bytes twice.
  const seen = await fetchVideo(job, handle).catch(toUnpublished);
  if (seen.phase === "unfinished") {
    const window = getResumeWindow(handle, seen.arrived);
    await sendVideo(job, handle, { url: video.url, mimeType: video.mimeType ?? "video/mp4" }, window);
    await finishUpload(job, handle, message);
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

async function finishUpload(job: Job, handle: VideoHandle, message: string): Promise<void> {
  const response = await requestGraph(job, "POST", `${job.connection.externalId}/videos`, {
    form: { upload_phase: "finish", upload_session_id: handle.sessionId, description: message, published: "true" },
    irreversible: true,
  });
  if (pick(response.body, "success") !== true) throw unanswered(NETWORK, "finish_without_success");
}

export async function pollVideo(job: Job, handle: VideoHandle): Promise<Published | Processing | { state: "ready" }> {
  if (!handle.sent) return { state: "ready" };
  const seen = await fetchVideo(job, handle);
  if (seen.phase === "failed") throw failure(seen.failed);
  if (seen.phase === "out") return { state: "published", platformPostId: handle.videoId, url: seen.url };
  return pollLater(handle);
}

export async function reconcileVideo(
  job: Job,
  handle: VideoHandle,
): Promise<Published | Processing | { state: "not_published"; handle?: Handle }> {
  const seen = await fetchVideo(job, handle);
  if (seen.phase === "out") return { state: "published", platformPostId: handle.videoId, url: seen.url };
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
  const response = await requestGraphRaw(job, "GET", handle.videoId, {
    query: { fields: "status,published,permalink_url" },
  });
  const error = readMetaError(response.body);
  // An unfinished session may not show its video yet.
  if (error?.code === 100 && error.subcode === 33) return { phase: "unfinished", arrived: 0 };
  assertSuccess(job, response, { prefix: "fb", irreversible: false, dialect: DIALECT });
  const phase = (name: string) => pickString(response.body, "status", `${name}_phase`, "status");
  const state = pickString(response.body, "status", "video_status");
  if (state === "error" || state === "expired" || state === "upload_failed" || phase("processing") === "error") {
    return { phase: "failed", failed: toVideoFailure(job, response.body) };
  }
  const published = phase("publishing") === "complete" || pick(response.body, "published") === true;
  if (state === "ready" && (published || phase("publishing") === null)) {
    return { phase: "out", url: toPermalink(pickString(response.body, "permalink_url"), handle.videoId) };
  }
  const begun = [phase("processing"), phase("publishing")].some((one) => one !== null && one !== "not_started");
  if (begun || state === "ready" || state === "processing") return { phase: "busy" };
  // Spelled with one r in the network's examples.
  const bytes = ["bytes_transferred", "bytes_transfered"].map((name) =>
    pickNumber(response.body, "status", "uploading_phase", name),
  );
  return { phase: "unfinished", arrived: bytes.find((count) => count !== null) ?? 0 };
}

function toVideoFailure(job: Job, body: Record<string, unknown>): Failure {
  const [first] = ["uploading", "processing", "publishing"].flatMap((name) => [
    ...pickList(body, "status", `${name}_phase`, "errors"),
    ...[pick(body, "status", `${name}_phase`, "error")].filter((one) => one !== undefined),
  ]);
  const code = pickNumber(first, "code");
  if (code !== null && (DIALECT.subcodes[code] || DIALECT.codes[code])) {
    return { ...toMetaFailure(job, "fb", { code, subcode: code }, null, DIALECT), restart: true };
  }
  return {
    class: "content",
    code: code === null ? "fb_video_failed" : `fb_${code}`,
    message: "Facebook could not process the video. Use MP4 or MOV with H.264 and AAC, and create a new post.",
    restart: true,
  };
}

/** Permalinks of videos have no host. */
function toPermalink(permalink: string | null, videoId: string): string {
  return new URL(permalink ?? `/${videoId}`, "https://www.facebook.com").href;
}
