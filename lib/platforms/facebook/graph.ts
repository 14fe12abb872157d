// Calls of the Graph API as a page, on its ordinary host and on the one that takes video bytes.
import { type Call, call, type Reply } from "../http.ts";
import { expectSuccess } from "../meta.ts";
import type { Job } from "../platform.ts";
import { DIALECT } from "./errors.ts";
import { FACEBOOK } from "./rules.ts";

export const NETWORK = "Facebook";

export type Rest = Pick<Call, "form" | "query" | "headers" | "body" | "irreversible" | "timeoutMs"> & {
  host?: "video";
};

export async function graph(job: Job, method: "GET" | "POST", path: string, rest: Rest): Promise<Reply> {
  const reply = await rawGraph(job, method, path, rest);
  expectSuccess(job, reply, { prefix: "fb", irreversible: rest.irreversible === true, dialect: DIALECT });
  return reply;
}

/** Leaves the network's refusals to the caller. */
export function rawGraph(job: Job, method: "GET" | "POST", path: string, rest: Rest): Promise<Reply> {
  const { host, ...request } = rest;
  const base = host === "video" ? videoBase(job.network.baseUrl) : job.network.baseUrl;
  return call(job, {
    network: NETWORK,
    method,
    url: `${base}/${FACEBOOK.version}/${path}`,
    bearer: job.connection.accessToken,
    ...request,
  });
}

/** Video bytes go to a host of their own; any base but the documented one answers for both. */
export function videoBase(baseUrl: string): string {
  return baseUrl === "https://graph.facebook.com" ? "https://graph-video.facebook.com" : baseUrl;
}
