// Posts one private or test post with real credentials, reads it back, deletes it, and prints every request.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { v7 as newId } from "uuid";
import { sendRequest } from "../../../lib/platforms/http.ts";
import { drivers } from "../../../lib/platforms/index.ts";
import { type Connection, getFailure, type Job } from "../../../lib/platforms/platform.ts";
import { resolveHost } from "../../../lib/services/dns.ts";
import { safeFetch } from "../../../lib/services/safe-fetch.ts";
import { type NetworkConfig, PLATFORM_DETAILS, PLATFORMS, type Platform } from "../../../lib/shared/platforms.ts";
import { type Env, LOCAL_VIDEO_URL, TRIALS } from "./networks.ts";
import { createPrintingFetch } from "./print-requests.ts";
import { publishOnce, readBack, type Steps } from "./publish-once.ts";
import { createRedactor, type Redactor } from "./redact.ts";

export interface Options {
  env: Env;
  log(line: string): void;
  sleep(ms: number): Promise<void>;
}

const LIMIT_MS = 15 * 60_000;
const CLIP = join(import.meta.dirname, "../../../test/local/demo.mp4");

const USAGE = `Usage: npm run admin -- try-network <network> [--keep]

Posts one private or test post through the real driver, follows it to the end, reads it back and deletes it where the
API can. Prints every request and response without secrets. --keep leaves the post. --help lists the variables.

Networks: ${PLATFORMS.join(", ")}. <NETWORK>_API_URL overrides the address of an API.
Exit codes: 0 the post was published and read back, 1 something failed, 2 the command or a variable is wrong.`;

/** Returns the exit code. */
export async function tryNetwork(args: readonly string[], options: Options): Promise<number> {
  const { log, env } = options;
  const names = args.filter((arg) => !arg.startsWith("--"));
  const unknown = args.find((arg) => arg.startsWith("--") && !["--keep", "--help"].includes(arg));
  if (args.includes("--help")) return finish(log, 0, USAGE, ...describeVariables(names));
  if (unknown) return finish(log, 2, `There is no option ${unknown}.`, "", USAGE);
  const [name = "", ...more] = names;
  if (name === "" || more.length > 0) return finish(log, 2, "Name one network.", "", USAGE);
  const platform = PLATFORMS.find((one) => one === (name === "x" ? "twitter" : name));
  if (!platform) return finish(log, 2, `There is no network ${name}. Networks: ${PLATFORMS.join(", ")}.`);
  const missing = TRIALS[platform].variables.filter((variable) => !variable.optional && !env[variable.name]);
  if (missing.length > 0) {
    const lines = missing.map((variable) => `  ${variable.name}  ${variable.from}`);
    return finish(log, 2, `${PLATFORM_DETAILS[platform].name} needs these variables, which are not set:`, ...lines);
  }
  return runTrial(platform, args.includes("--keep"), options);
}

function finish(log: Options["log"], code: number, ...lines: string[]): number {
  for (const line of lines) log(line);
  return code;
}

function describeVariables(names: readonly string[]): string[] {
  const wanted = PLATFORMS.filter((platform) => names.length === 0 || names.includes(platform));
  return wanted.flatMap((platform) => [
    "",
    `${platform}: visible to ${TRIALS[platform].visibility}`,
    ...TRIALS[platform].variables.map((one) => `  ${one.name}${one.optional ? " (optional)" : ""}  ${one.from}`),
  ]);
}

async function runTrial(platform: Platform, keep: boolean, options: Options): Promise<number> {
  const redactor = createRedactor();
  const trial = TRIALS[platform];
  for (const { name, secret } of trial.variables) if (secret) redactor.add(options.env[name]);
  const log = (line: string) => options.log(redactor.text(line));
  const steps: Steps = { log, sleep: options.sleep, limitMs: LIMIT_MS };
  const driver = drivers[platform];
  log(`${PLATFORM_DETAILS[platform].name}: one post, visible to ${trial.visibility}.`);
  try {
    const job = await openJob(platform, options.env, redactor, log);
    const { postId, url, handle } = await publishOnce(driver, job, steps);
    log(`Published: ${postId ?? "(the network names the post later)"} ${url ?? ""}`.trimEnd());
    const found = await readBack(driver, job, handle, steps);
    if (found === "not_published") throw new Error("The network does not show the post that it published.");
    log(found === "published" ? "Read back: the network shows the post." : "The network cannot be asked for the post.");
    return await removePost(platform, job, { postId, url, keep }, log);
  } catch (error) {
    const failed = getFailure(error);
    log(failed ? `FAILED: ${failed.class} ${failed.code}: ${failed.message}` : `FAILED: ${String(error)}`);
    return 1;
  }
}

async function removePost(
  platform: Platform,
  job: Job,
  { postId, url, keep }: { postId: string | null; url: string | null; keep: boolean },
  log: Options["log"],
): Promise<number> {
  const { remove } = TRIALS[platform];
  const network = PLATFORM_DETAILS[platform].name;
  if (keep) return finish(log, 0, "OK. The post is kept (--keep).");
  if (!remove || !postId)
    return finish(log, 0, `OK. ${network}'s API deletes no posts: delete it in the app. ${url ?? ""}`);
  log("== delete");
  const { status } = await sendRequest(job, { network, ...remove(job, postId) });
  if (status < 300) return finish(log, 0, "OK. The post was published, read back and deleted.");
  return finish(log, 1, `FAILED: the post was published, but not deleted. Delete it by hand. ${url ?? ""}`);
}

async function openJob(platform: Platform, env: Env, redactor: Redactor, log: Options["log"]): Promise<Job> {
  const network = getNetworkConfig(platform, env);
  const printing = createPrintingFetch((input, init) => fetch(input, init), redactor, log);
  const host = new URL(network.baseUrl).hostname;
  const isLocal = host === "localhost" || host === "127.0.0.1";
  const policy = { fetch: printing, resolveHost, allowedHosts: [] };
  const io = {
    network,
    fetch: printing,
    fetchMedia: async (url: string, init: RequestInit) => {
      if (url === LOCAL_VIDEO_URL) return serveClip(init);
      return isLocal ? printing(url, init) : safeFetch(policy, url, init);
    },
    now: () => new Date(),
  };
  const connection = platform === "bluesky" ? await signIn(io, env, redactor) : readConnection(platform, env);
  return { ...io, deliveryId: newId(), content: TRIALS[platform].content(env), connection };
}

function getNetworkConfig(platform: Platform, env: Env): NetworkConfig {
  const own = platform === "bluesky" ? env.BLUESKY_SERVICE : undefined;
  const directoryUrl = platform === "bluesky" ? env.BLUESKY_DIRECTORY : undefined;
  const baseUrl = own || env[`${platform.toUpperCase()}_API_URL`] || PLATFORM_DETAILS[platform].apiUrl;
  const config = { baseUrl: baseUrl.replace(/\/+$/, ""), clientId: "", clientSecret: "" };
  return directoryUrl ? { ...config, directoryUrl } : config;
}

function readConnection(platform: Platform, env: Env): Connection {
  const { accountVariable } = TRIALS[platform];
  return {
    accountId: "try-network",
    externalId: env[accountVariable ?? ""] ?? "",
    accessToken: env[`${platform.toUpperCase()}_ACCESS_TOKEN`] ?? "",
  };
}

/** Bluesky accounts sign in with an app password; the session names the account. */
async function signIn(io: Pick<Job, "fetch" | "now" | "network">, env: Env, redactor: Redactor): Promise<Connection> {
  const url = `${io.network.baseUrl}/xrpc/com.atproto.server.createSession`;
  const json = { identifier: env.BLUESKY_IDENTIFIER, password: env.BLUESKY_PASSWORD };
  const { status, body } = await sendRequest(io, { network: "Bluesky", method: "POST", url, json });
  const { did, accessJwt } = body;
  if (status >= 400 || typeof did !== "string" || typeof accessJwt !== "string") {
    throw new Error("Bluesky does not accept BLUESKY_IDENTIFIER with BLUESKY_PASSWORD, which must be an app password.");
  }
  redactor.add(accessJwt);
  return { accountId: "try-network", externalId: did, accessToken: accessJwt };
}

/** The clip of this repository, whole or a range of it. */
async function serveClip(init: RequestInit): Promise<Response> {
  const bytes = new Uint8Array(await readFile(CLIP));
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init.headers).get("range") ?? "") ?? [];
  const headers = { "content-type": "video/mp4", "content-length": String(bytes.length) };
  if (!first || !last) return new Response(init.method === "HEAD" ? null : bytes, { headers });
  const part = bytes.slice(Number(first), Number(last) + 1);
  const range = { "content-range": `bytes ${first}-${last}/${bytes.length}`, "content-length": String(part.length) };
  return new Response(part, { status: 206, headers: { ...headers, ...range } });
}
