// The state of a video at Facebook: of its upload, its processing and its publication.
import { isObject, pick, pickList, pickNumber, pickString } from "../http.ts";
import { assertSuccess, readMetaError, toMetaFailure } from "../meta.ts";
import type { Failure, Job } from "../platform.ts";
import { DIALECT } from "./errors.ts";
import { requestGraphRaw } from "./graph.ts";

export interface VideoStatus {
  /** Of the whole: `ready` also means that it can be published. */
  state: string | null;
  uploading: string | null;
  processing: string | null;
  publishing: string | null;
  published: boolean;
  /** The part of the file that Facebook has. */
  bytes: number;
  url: string;
  /** Why Facebook cannot publish it. */
  failed: Failure | null;
}

/** Null while Facebook does not show the video of an upload. */
export async function fetchStatus(job: Job, videoId: string): Promise<VideoStatus | null> {
  const fields = "status,published,permalink_url";
  const { body, ...response } = await requestGraphRaw(job, "GET", videoId, { query: { fields } });
  const error = readMetaError(body);
  if (error?.code === 100 && error.subcode === 33) return null;
  assertSuccess(job, { body, ...response }, { prefix: "fb", irreversible: false, dialect: DIALECT });
  // One guide says complete, another completed.
  const phase = (name: string) =>
    pickString(body, "status", `${name}_phase`, "status")?.replace(/^completed$/, "complete") ?? null;
  const state = pickString(body, "status", "video_status");
  const [uploading, processing, publishing] = [phase("uploading"), phase("processing"), phase("publishing")];
  const errors = listErrors(body);
  const isFailed =
    errors.length > 0 ||
    ["error", "expired", "upload_failed"].includes(state ?? "") ||
    [processing, publishing].includes("error");
  // Spelled with one r in the network's examples.
  const bytes = ["bytes_transferred", "bytes_transfered"].map((name) =>
    pickNumber(body, "status", "uploading_phase", name),
  );
  return {
    ...{ state, uploading, processing, publishing },
    published: pick(body, "published") === true,
    bytes: bytes.find((count) => count !== null) ?? 0,
    url: toPermalink(pickString(body, "permalink_url"), videoId),
    failed: isFailed ? toVideoFailure(job, errors[0]) : null,
  };
}

/** A phase that has not begun can have one, too: an example of the guide does. */
function listErrors(body: Record<string, unknown>): Record<string, unknown>[] {
  return ["uploading", "processing", "publishing"]
    .flatMap((name) => [
      ...pickList(body, "status", `${name}_phase`, "errors"),
      pick(body, "status", `${name}_phase`, "error"),
    ])
    .filter(isObject);
}

function toVideoFailure(job: Job, error: Record<string, unknown> | undefined): Failure {
  const code = pickNumber(error, "code");
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
