// The response envelope and chunk validation of the simulated TikTok.
import { createTraceId } from "./context.ts";
import type { NetworkAccount, NetworkResponse } from "./network.ts";

const MIN_CHUNK = 5 * 1_000_000;
const MAX_CHUNK = 64 * 1024 * 1024;
const MAX_LAST_CHUNK = 128 * 1024 * 1024;

export function okResponse(data: unknown): NetworkResponse {
  return { status: 200, body: { data, error: { code: "ok", message: "", log_id: createTraceId("log") } } };
}

export function errorResponse(status: number, code: string): NetworkResponse {
  return {
    status,
    body: { data: {}, error: { code, message: code.replaceAll("_", " "), log_id: createTraceId("log") } },
  };
}

export function toHttpStatus(code: string): number {
  if (/^access_token|^scope_/.test(code)) return 401;
  if (/^spam_risk|^unaudited|^reached_|^url_ownership|^privacy_level/.test(code)) return 403;
  if (code === "rate_limit_exceeded") return 429;
  return code === "internal_error" ? 500 : 400;
}

export function findChunkError(size: number, chunkSize: number, chunks: number): NetworkResponse | null {
  const isSingle = size > 0 && chunkSize === size && chunks === 1 && size <= MAX_CHUNK;
  const isSizeValid = chunkSize >= MIN_CHUNK && chunkSize <= MAX_CHUNK && chunks === Math.floor(size / chunkSize);
  const last = size - chunkSize * (chunks - 1);
  const isMultiple = isSizeValid && chunks >= 1 && chunks <= 1_000 && last <= MAX_LAST_CHUNK;
  return isSingle || isMultiple ? null : errorResponse(400, "invalid_params");
}

export function readObject(body: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = body[name];
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

export function getUsername(account: NetworkAccount): string {
  return account.username ?? account.externalId;
}

/** A JSON number above 2^53, serialized with all digits. */
export function rawNumber(digits: string): unknown {
  const json = JSON as typeof JSON & { rawJSON(text: string): unknown };
  return json.rawJSON(digits);
}
