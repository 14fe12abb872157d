// The log line of a response that no endpoint sends: a file, a page, an unknown route. Its fields are those of request-log.ts.
import type { Context } from "hono";
import type { ErrorCode } from "../shared/errors.ts";
import { readRequestId } from "./envelope.ts";

const MAX_PATH = 200;

/** Longer than a UUID: it may be the token of a link. */
const LONG_SEGMENT = /[^/]{37,}/g;

interface SentResponse {
  startedAt: number;
  errorCode: ErrorCode | undefined;
}

export function logResponse(c: Context, { startedAt, errorCode }: SentResponse): void {
  const { status, headers } = c.res;
  const line = {
    request_id: headers.get("x-request-id") ?? readRequestId(c.req.header("x-request-id")),
    level: status >= 500 ? "error" : "info",
    route: `${c.req.method} ${toLoggedPath(c.req.path)}`,
    status,
    error_code: errorCode,
    ms: Date.now() - startedAt,
  };
  console.log(JSON.stringify(line));
}

/** A path names a few records, and an id is at most this long; what is longer is no id. */
const MAX_IDS = 8;
const MAX_ID = 64;

/** The ids in a path. A token is left out, because it gives access to what its link opens. */
export function listIds(params: Readonly<Record<string, string>>): string[] {
  const ids = Object.entries(params).flatMap(([name, id]) => (name === "token" ? [] : [id]));
  return ids.slice(0, MAX_IDS).map((id) => (id.length > MAX_ID ? `${id.slice(0, MAX_ID)}...` : id));
}

/** A path that matched no pattern, without what may be secret. */
export function toLoggedPath(path: string): string {
  return path.replaceAll(LONG_SEGMENT, "...").slice(0, MAX_PATH);
}
