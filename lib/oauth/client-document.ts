// Client id metadata documents: a client whose id is an https URL is described by the JSON at that URL.
// https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document-00, read 2026-11-29.
import type { Services } from "../services/context.ts";
import type { Env } from "../services/env.ts";
import { describeFetchError, readUpTo, safeFetch } from "../services/safe-fetch.ts";
import { type ApiError, apiError } from "../shared/errors.ts";
import { toResult } from "../shared/result.ts";

/** A description has some hundred bytes. */
const MAX_BYTES = 16 * 1024;
const TIMEOUT_MS = 5_000;
const MAX_URL_LENGTH = 500;

/** An https URL with a path, without fragment, user name and dot segments. Private hosts that the local stack allows may use http. */
export function isDocumentUrl(id: string, { allowedHosts }: Pick<Env, "allowedHosts">): boolean {
  if (id.length > MAX_URL_LENGTH || !/^https?:\/\/[\x21-\x7e]+$/.test(id) || !URL.canParse(id)) return false;
  const url = new URL(id);
  if (url.protocol === "http:" && !allowedHosts.includes(url.host)) return false;
  // Its normal form is its own text, so that two texts are not one document.
  return url.href === id && url.pathname !== "/" && !id.includes("#") && !url.username && !url.password;
}

/** Throws 400 with the reason, for the person who opened the page. */
export async function readClientDocument(services: Services, id: string): Promise<unknown> {
  const document = parseDocument(await fetchDocument(services, id));
  if (typeof document !== "object" || document === null || !("client_id" in document) || document.client_id !== id)
    throw documentError("is for another client_id.");
  if ("client_secret" in document) throw documentError("has a client_secret, which everybody can read.");
  return document;
}

async function fetchDocument(services: Services, id: string): Promise<string> {
  const { fetch, resolveHost, env } = services;
  const policy = { fetch, resolveHost, allowedHosts: env.allowedHosts };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const headers = { Accept: "application/json" };
  const fetched = await toResult(safeFetch(policy, id, { redirect: "error", headers, signal }));
  if (!fetched.ok) throw documentError(`cannot be read. ${describeFetchError(fetched.error)}`);
  const { status, body, headers: received } = fetched.value;
  if (status !== 200 || !/^application\/(json|[\w.-]+\+json)\b/i.test(received.get("content-type") ?? "")) {
    await body?.cancel();
    throw documentError(`must be JSON with status 200; its status is ${status}.`);
  }
  const read = await toResult(readUpTo(body, MAX_BYTES));
  if (!read.ok) throw documentError(`cannot be read. ${describeFetchError(read.error)}`);
  if (!read.value) throw documentError(`is larger than ${MAX_BYTES / 1024} KiB.`);
  return new TextDecoder().decode(read.value);
}

function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw documentError("is not valid JSON.");
  }
}

export function documentError(problem: string): ApiError {
  return apiError("invalid_request", `The description of the app at its client_id ${problem}`);
}
