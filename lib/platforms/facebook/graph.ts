// Graph API requests as a page, to the API host and to the video upload host.
import { type NetworkRequest, type NetworkResponse, sendRequest } from "../http.ts";
import { assertSuccess } from "../meta.ts";
import type { Job } from "../platform.ts";
import { DIALECT } from "./errors.ts";
import { FACEBOOK } from "./rules.ts";

export const NETWORK = "Facebook";

export type GraphOptions = Pick<
  NetworkRequest,
  "form" | "query" | "headers" | "body" | "irreversible" | "timeoutMs"
> & {
  host?: "video";
};

export async function requestGraph(
  job: Job,
  method: "GET" | "POST",
  path: string,
  options: GraphOptions,
): Promise<NetworkResponse> {
  const response = await requestGraphRaw(job, method, path, options);
  assertSuccess(job, response, { prefix: "fb", irreversible: options.irreversible === true, dialect: DIALECT });
  return response;
}

/** Returns error responses of the network instead of throwing. */
export function requestGraphRaw(
  job: Job,
  method: "GET" | "POST",
  path: string,
  options: GraphOptions,
): Promise<NetworkResponse> {
  const { host, ...request } = options;
  const base = host === "video" ? getVideoBaseUrl(job.network.baseUrl) : job.network.baseUrl;
  return sendRequest(job, {
    network: NETWORK,
    method,
    url: `${base}/${FACEBOOK.version}/${path}`,
    bearer: job.connection.accessToken,
    ...request,
  });
}

/** Video bytes use a separate host, except with a custom base URL, which serves both. */
export function getVideoBaseUrl(baseUrl: string): string {
  return baseUrl === "https://graph.facebook.com" ? "https://graph-video.facebook.com" : baseUrl;
}
