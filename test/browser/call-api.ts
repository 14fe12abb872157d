// The API as a server calls it, with a key.
import { setTimeout as sleep } from "node:timers/promises";
import { BASE_PATH } from "../../lib/shared/paths.ts";

const MAX_RETRIES = 5;
const RETRY_MS = 2_000;

/** Returns the `data` of a response; throws for any error. */
export type Call = <Data>(method: string, path: string, body: unknown) => Promise<Data>;

export function createCaller(origin: string, key: string): Call {
  return async <Data>(method: string, path: string, body: unknown): Promise<Data> => {
    const headers = {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      "Idempotency-Key": crypto.randomUUID(),
    };
    const init = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
    let response = await fetch(`${origin}${BASE_PATH}${path}`, init);
    // On a busy machine a server of the stack may respond too late; the key makes a retry safe.
    for (let retry = 0; response.status === 503 && retry < MAX_RETRIES; retry++) {
      await sleep(RETRY_MS);
      response = await fetch(`${origin}${BASE_PATH}${path}`, init);
    }
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: Data }).data;
  };
}
