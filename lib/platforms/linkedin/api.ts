// Requests to LinkedIn's versioned REST API.
import { type NetworkRequest, type NetworkResponse, sendRequest } from "../http.ts";
import type { Job } from "../platform.ts";
import { assertSuccess } from "./errors.ts";
import { LINKEDIN } from "./rules.ts";

export const NETWORK = "LinkedIn";

type RequestOptions = Pick<NetworkRequest, "query" | "json" | "irreversible" | "headers">;

/** Returns any response below 500. */
export function requestRaw(
  job: Job,
  method: "GET" | "POST",
  path: string,
  options: RequestOptions,
): Promise<NetworkResponse> {
  return sendRequest(job, {
    network: NETWORK,
    method,
    url: `${job.network.baseUrl}/rest/${path}`,
    bearer: job.connection.accessToken,
    ...options,
    headers: { ...options.headers, ...getVersionHeaders(job.network) },
  });
}

export async function request(
  job: Job,
  method: "GET" | "POST",
  path: string,
  fields: RequestOptions,
): Promise<NetworkResponse> {
  const response = await requestRaw(job, method, path, fields);
  assertSuccess(response);
  return response;
}

export function getVersionHeaders({ apiVersion }: Job["network"]) {
  return { "linkedin-version": apiVersion ?? LINKEDIN.version, "x-restli-protocol-version": "2.0.0" };
}
