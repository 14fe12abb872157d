// Posts whose captions force outcomes, over HTTP with a test key: what becomes of each, by the clock of test mode.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import simulator from "../../functions/simulator/worker.ts";
import { DEFAULT_BOARD_ID } from "../../lib/simulator/networks/pinterest-boards.ts";
import type { NetworkName } from "../../lib/simulator/outcomes.ts";
import { virtualAccounts } from "../../lib/simulator/virtual-accounts.ts";
import { uploadDemoVideo, uploadFile } from "../files/upload-file.ts";
import { createTestTenant, queryRows, vars } from "../support/harness.ts";
import { createTestMode, type TestMode } from "../support/test-mode.ts";

export type Kind = "video" | "image" | "text";

export interface Ending {
  /** Of the account: `posted` or `failed`. */
  status: string;
  /** Its error at each look, in order. */
  errors: string[];
  message: string | null;
  events: string[];
  /** The look at which it had ended, in seconds after the post was created. */
  seconds: number;
  /** The first refusal of the network, or else its last answer. */
  answer: NetworkAnswer;
}

export interface NetworkAnswer {
  method: string;
  path: string;
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each network has its own form.
  body: any;
}

export interface Setting {
  mode: TestMode;
  media: Record<Kind | "longVideo", object | null>;
}

/** The Worker as the API is bound to it; keeps the answers. */
const answers: NetworkAnswer[] = [];
const env = {
  SIMULATOR: {
    async fetch(request: Request): Promise<Response> {
      const { method } = request;
      const path = new URL(request.url).pathname;
      const response = await simulator.fetch(request, vars as never);
      const text = await response.clone().text();
      answers.push({ method, path, status: response.status, body: text ? JSON.parse(text) : null });
      return response;
    },
  },
};
const IMAGE = join(import.meta.dirname, "../media/fixtures/baseline.jpg");

/** Right away, just before and after a minute, around ten minutes, and much later. */
const LOOKS = [1, 55, 90, 590, 700, 1_000, 172_800];
const ENDED = ["posted", "failed", "partial", "void"];

/** Test mode of a new tenant, with files of its own. */
export async function openSetting(): Promise<Setting> {
  const mode = await createTestMode(await createTestTenant());
  const image = await uploadFile(mode.api, "image/jpeg", await readFile(IMAGE));
  const longVideo = await uploadDemoVideo(mode.api);
  // A hosted TikTok account takes videos of 15 seconds and more, which the demo video is not.
  await queryRows(sql`update files set duration_ms = 20000 where url = ${longVideo}`);
  return {
    mode,
    media: {
      video: { type: "video", url: await uploadDemoVideo(mode.api) },
      longVideo: { type: "video", url: longVideo },
      image: { type: "slideshow", urls: [image.body.data.file.url] },
      text: null,
    },
  };
}

/** Bluesky says with 409 that it has a video already. */
const isRefusal = ({ status }: NetworkAnswer): boolean => status >= 400 && status !== 409;

export async function runOutcome(
  { mode, media }: Setting,
  network: NetworkName,
  kind: Kind,
  caption: string,
): Promise<Ending> {
  const account = virtualAccounts(mode.scopeId).find(
    ({ type, platform }) => (type === "hosted" ? type : platform) === network,
  );
  const after = await readPosition(mode);
  answers.length = 0;
  const file = media[network === "hosted" && kind === "video" ? "longVideo" : kind];
  const created = await call(mode, "POST", "/posts", {
    ...{ caption, accounts: [{ id: account?.id }] },
    ...(file ? { media: file } : {}),
    ...(network === "pinterest" ? { pinterest: { board_id: DEFAULT_BOARD_ID } } : {}),
  });
  const errors: string[] = [];
  let passed = 0;
  for (const seconds of LOOKS) {
    await call(mode, "POST", "/sandbox/advance", { seconds: seconds - passed });
    passed = seconds;
    const post = await call(mode, "GET", `/posts/${created.id}`);
    const { status, error_code, error_message } = post.accounts.states[0];
    if (error_code && errors.at(-1) !== error_code) errors.push(error_code);
    if (!ENDED.includes(status)) continue;
    const answer = answers.find(isRefusal) ?? answers.at(-1);
    if (!answer) throw new Error(`${network} was not called.`);
    return { status, errors, message: error_message, events: await listEvents(mode, after), seconds, answer };
  }
  throw new Error(`A post at ${network} has not ended: ${caption}`);
}

/** Sets the clock back, and empties what the networks know. */
export async function reset({ mode }: Setting): Promise<void> {
  await call(mode, "POST", "/sandbox/reset", {});
}

/** The position of the newest event. */
async function readPosition(mode: TestMode): Promise<string | null> {
  let after: string | null = null;
  for (;;) {
    const page = await call(mode, "GET", `/events?limit=200${after ? `&after=${after}` : ""}`);
    after = page.next_after ?? after;
    if (!page.has_more) return after;
  }
}

async function listEvents(mode: TestMode, after: string | null): Promise<string[]> {
  const page = await call(mode, "GET", `/events?limit=200${after ? `&after=${after}` : ""}`);
  return page.events.map(({ type }: { type: string }) => type);
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any response and assert on it.
async function call(mode: TestMode, method: string, path: string, body?: object): Promise<any> {
  const response = await mode.api.call(method, path, { body, env });
  if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response.body)}`);
  return response.body.data;
}
