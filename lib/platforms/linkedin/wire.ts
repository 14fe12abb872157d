// How LinkedIn's versioned REST API is called: its headers, its addresses.
import { type Call, call, type Reply } from "../http.ts";
import type { Job } from "../platform.ts";
import { expectOk } from "./errors.ts";
import { LINKEDIN } from "./rules.ts";

export const NETWORK = "LinkedIn";
const API_HOST = "https://api.linkedin.com";

type Rest = Pick<Call, "query" | "json" | "irreversible" | "headers">;

/** Any answer below 500. */
export function rawRest(job: Job, method: "GET" | "POST", path: string, rest: Rest): Promise<Reply> {
  return call(job, {
    network: NETWORK,
    method,
    url: `${job.network.baseUrl}/rest/${path}`,
    bearer: job.connection.accessToken,
    ...rest,
    headers: { ...rest.headers, "linkedin-version": LINKEDIN.version, "x-restli-protocol-version": "2.0.0" },
  });
}

export async function rest(job: Job, method: "GET" | "POST", path: string, fields: Rest): Promise<Reply> {
  const reply = await rawRest(job, method, path, fields);
  expectOk(reply);
  return reply;
}

/** Tokens are given out on the site's host; any other base serves everything itself. */
export function tokenUrl(baseUrl: string): string {
  return `${baseUrl === API_HOST ? "https://www.linkedin.com" : baseUrl}/oauth/v2/accessToken`;
}
