// What the images behind URLs are at this moment, so that a slide is drawn again when one of them has changed.
import { createHash } from "node:crypto";
import type { Call } from "../call.ts";
import { fetchGuarded, whyUnreachable } from "../guard.ts";
import { LIMITS } from "../media/limits.ts";
import { gateFor } from "./gate.ts";

export type ImageIo = Pick<Call, "env" | "fetch" | "resolveHost">;

/** `why` is a sentence for the customer. */
export type Version = { version: string } | { why: string };

const ASKED_AT_ONCE = 6;
const ASK_WITHIN_MS = 15_000;

/** By URL, each asked once; after the first that fails no further ones are asked, and those are not in the map. */
export async function versionsOf(io: ImageIo, urls: Iterable<string>): Promise<Map<string, Version>> {
  const gate = gateFor(ASKED_AT_ONCE);
  const found = new Map<string, Version>();
  let failed = false;
  const ask = async (url: string) => {
    if (failed) return;
    const version = await versionOf(io, url);
    found.set(url, version);
    failed ||= "why" in version;
  };
  await Promise.all([...new Set(urls)].map((url) => gate(() => ask(url))));
  return found;
}

async function versionOf(io: ImageIo, url: string): Promise<Version> {
  // A key of our own bucket is unique to its bytes.
  if (url.startsWith(`${io.env.CDN_URL.replace(/\/$/, "")}/`)) return { version: url };
  try {
    return await ask(io, url);
  } catch (error) {
    return { why: whyUnreachable(error) };
  }
}

async function ask({ env, fetch, resolveHost }: ImageIo, url: string): Promise<Version> {
  const guard = { fetch, resolveHost, allowedHosts: env.allowedHosts };
  const answer = await fetchGuarded(guard, url, { signal: AbortSignal.timeout(ASK_WITHIN_MS) });
  const etag = answer.headers.get("etag");
  if (!answer.ok || etag?.startsWith('"')) await answer.body?.cancel();
  if (!answer.ok) return { why: `The URL answers with HTTP ${answer.status}.` };
  // A strong one stands for these very bytes. The query may hold a signature that differs every time.
  if (etag?.startsWith('"')) return { version: `${url.split("?")[0]} ${etag}` };
  return digest(answer.body);
}

async function digest(body: ReadableStream<Uint8Array> | null): Promise<Version> {
  const hash = createHash("sha256");
  let size = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > LIMITS.imageBytes) return { why: "The image has more than 20 MiB." };
    hash.update(chunk);
  }
  return { version: hash.digest("hex") };
}
