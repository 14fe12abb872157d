// Requests to Pinterest's API.
import { type NetworkResponse, sendRequest } from "../http.ts";
import type { Job } from "../platform.ts";
import { assertSuccess } from "./errors.ts";

export const NETWORK = "Pinterest";

interface RequestOptions {
  json?: unknown;
  query?: Record<string, string | undefined>;
  irreversible?: boolean;
}

export async function requestApi(
  job: Job,
  method: "GET" | "POST",
  path: string,
  options: RequestOptions,
): Promise<NetworkResponse> {
  const response = await requestApiRaw(job, method, path, options);
  assertSuccess(response);
  return response;
}

/** Returns error responses as well, for requests that handle them. */
export function requestApiRaw(
  job: Job,
  method: "GET" | "POST",
  path: string,
  options: RequestOptions,
): Promise<NetworkResponse> {
  const url = `${job.network.baseUrl}/v5/${path}`;
  return sendRequest(job, { network: NETWORK, method, url, bearer: job.connection.accessToken, ...options });
}
