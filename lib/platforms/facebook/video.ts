// A page's videos: an upload session that shows nothing, then one call that publishes what it holds.
import { pick, pickList, pickNumber, pickString, unanswered } from "../http.ts";
import { sizeOf } from "../media.ts";
import { expectSuccess, explainMeta, metaError } from "../meta.ts";
import {
  type Failure,
  failure,
  type Handle,
  type Job,
  type MediaFile,
  type Processing,
  type Published,
} from "../platform.ts";
import { checkPost, wordsOf } from "./content.ts";
import { DIALECT } from "./errors.ts";
import { graph, NETWORK, rawGraph } from "./graph.ts";
import { FACEBOOK } from "./rules.ts";
import { sendVideo, type Window, windowOf } from "./upload.ts";

const POLL_MS = 10_000;

export interface VideoHandle extends Handle {
  kind: "video";
  videoId: string;
  sessionId: string;
  size: number;
  first: Window;
  sent?: true;
}

export async function startVideo(job: Job, video: MediaFile): Promise<VideoHandle> {
  checkPost(job.content);
  const size = await sizeOf(job, video);
  const reply = await graph(job, "POST", `${job.connection.externalId}/videos`, {
    host: "video",
    form: { upload_phase: "start", file_size: String(size) },
  });
  const videoId = pickString(reply.body, "video_id");
  const sessionId = pickString(reply.body, "upload_session_id");
  const first = windowOf(reply.body, size);
  if (!videoId || !sessionId || !first) throw unanswered(NETWORK, "session_without_id");
  return { kind: "video", videoId, sessionId, size, first };
}

export async function publishVideo(
  job: Job,
  handle: VideoHandle,
  video: MediaFile,
): Promise<{ state: "sent"; handle: Handle }> {
  const { message } = wordsOf(job.content);
  // A repeated publish goes on where the last one stopped instead of sending bytes twice.
  const seen = await readVideo(job, handle);
  if (seen.phase === "unfinished") {
    const window = resumed(handle, seen.arrived);
    await sendVideo(job, handle, { url: video.url, mimeType: video.mimeType ?? "video/mp4" }, window);
    await finish(job, handle, message);
  }
  if (seen.phase === "failed") throw failure(seen.failed);
  return { state: "sent", handle: { ...handle, sent: true } };
}

/** From where the bytes are missing; Facebook corrects it when it has other bytes than it said. */
function resumed({ first, size }: VideoHandle, arrived: number): Window {
  if (arrived <= first.start) return first;
  return { start: Math.min(arrived, size), end: Math.min(arrived + FACEBOOK.resumeChunkBytes, size) };
}

async function finish(job: Job, handle: VideoHandle, message: string): Promise<void> {
  const reply = await graph(job, "POST", `${job.connection.externalId}/videos`, {
    host: "video",
    form: { upload_phase: "finish", upload_session_id: handle.sessionId, description: message, published: "true" },
    irreversible: true,
  });
  if (pick(reply.body, "success") !== true) throw unanswered(NETWORK, "finish_without_success");
}

export async function pollVideo(job: Job, handle: VideoHandle): Promise<Published | Processing | { state: "ready" }> {
  if (!handle.sent) return { state: "ready" };
  const seen = await readVideo(job, handle);
  if (seen.phase === "failed") throw failure(seen.failed);
  if (seen.phase === "out") return { state: "published", platformPostId: handle.videoId, url: seen.url };
  return { state: "processing", afterMs: POLL_MS };
}

export async function reconcileVideo(
  job: Job,
  handle: VideoHandle,
): Promise<Published | Processing | { state: "not_published"; handle?: Handle }> {
  const seen = await readVideo(job, handle);
  if (seen.phase === "out") return { state: "published", platformPostId: handle.videoId, url: seen.url };
  if (seen.phase === "busy") return { state: "processing", afterMs: POLL_MS };
  // A session makes one video, so going on from it can not make a second one.
  if (seen.phase === "unfinished") return { state: "not_published", handle };
  if (seen.failed.class === "content" || seen.failed.class === "account") throw failure(seen.failed);
  return { state: "not_published" };
}

/** unfinished: the closing call never came. busy: it did, and Facebook works on the video. */
type Seen =
  | { phase: "unfinished"; arrived: number }
  | { phase: "busy" }
  | { phase: "out"; url: string }
  | { phase: "failed"; failed: Failure };

async function readVideo(job: Job, handle: VideoHandle): Promise<Seen> {
  const reply = await rawGraph(job, "GET", handle.videoId, { query: { fields: "status,published,permalink_url" } });
  const error = metaError(reply.body);
  // A session that was not closed need not show its video yet.
  if (error?.code === 100 && error.subcode === 33) return { phase: "unfinished", arrived: 0 };
  expectSuccess(job, reply, { prefix: "fb", irreversible: false, dialect: DIALECT });
  const phase = (name: string) => pickString(reply.body, "status", `${name}_phase`, "status");
  const state = pickString(reply.body, "status", "video_status");
  if (state === "error" || state === "expired" || state === "upload_failed" || phase("processing") === "error") {
    return { phase: "failed", failed: whyFailed(job, reply.body) };
  }
  const published = phase("publishing") === "complete" || pick(reply.body, "published") === true;
  if (state === "ready" && (published || phase("publishing") === null)) {
    return { phase: "out", url: addressOf(pickString(reply.body, "permalink_url"), handle.videoId) };
  }
  const begun = [phase("processing"), phase("publishing")].some((one) => one !== null && one !== "not_started");
  if (begun || state === "ready" || state === "processing") return { phase: "busy" };
  // Spelled with one r in the network's own examples.
  const bytes = ["bytes_transferred", "bytes_transfered"].map((name) =>
    pickNumber(reply.body, "status", "uploading_phase", name),
  );
  return { phase: "unfinished", arrived: bytes.find((count) => count !== null) ?? 0 };
}

function whyFailed(job: Job, body: Record<string, unknown>): Failure {
  const [first] = ["uploading", "processing", "publishing"].flatMap((name) => [
    ...pickList(body, "status", `${name}_phase`, "errors"),
    ...[pick(body, "status", `${name}_phase`, "error")].filter((one) => one !== undefined),
  ]);
  const code = pickNumber(first, "code");
  if (code !== null && (DIALECT.subcodes[code] || DIALECT.codes[code])) {
    return { ...explainMeta(job, "fb", { code, subcode: code }, null, DIALECT), restart: true };
  }
  return {
    class: "content",
    code: code === null ? "fb_video_failed" : `fb_${code}`,
    message: "Facebook could not process the video. Use MP4 or MOV with H.264 and AAC, and post it anew.",
    restart: true,
  };
}

/** Permalinks of videos come without their host. */
function addressOf(permalink: string | null, videoId: string): string {
  return new URL(permalink ?? `/${videoId}`, "https://www.facebook.com").href;
}
