// Requests to the API of a network as an account, with the network's errors as failures.
import { PLATFORM_DETAILS, type Platform } from "../shared/platforms.ts";
import type { ConnectIo, Grant } from "./connector.ts";
import { type HttpContext, type NetworkRequest, type NetworkResponse, sendRequest } from "./http.ts";
import type { Job } from "./platform.ts";

/** A job, or what a connector has of one. */
export type ApiContext = HttpContext & Pick<Job, "network"> & { connection: { accessToken: string } };

export type ApiRequest = Omit<NetworkRequest, "network" | "method" | "url" | "bearer"> & { host?: string | undefined };

interface ApiConfig {
  platform: Platform;
  /** Between the host and the path of a request: `/v5/`. */
  prefix: string;
  getHeaders?: (network: Job["network"]) => Record<string, string>;
  /** Throws a failure unless the response is a success. */
  assertSuccess(io: HttpContext, response: NetworkResponse, request: ApiRequest): void;
}

export function createApi({ platform, prefix, getHeaders, assertSuccess }: ApiConfig) {
  const { name } = PLATFORM_DETAILS[platform];

  /** Returns error responses below 500 as well. */
  function requestRaw(
    context: ApiContext,
    method: NetworkRequest["method"],
    path: string,
    { host, ...request }: ApiRequest = {},
  ): Promise<NetworkResponse> {
    const { network, connection } = context;
    const url = `${host ?? network.baseUrl}${prefix}${path}`;
    const headers = { ...request.headers, ...getHeaders?.(network) };
    return sendRequest(context, { network: name, method, url, bearer: connection.accessToken, ...request, headers });
  }

  async function request(
    context: ApiContext,
    method: NetworkRequest["method"],
    path: string,
    fields: ApiRequest = {},
  ): Promise<NetworkResponse> {
    const response = await requestRaw(context, method, path, fields);
    assertSuccess(context, response, fields);
    return response;
  }

  return { request, requestRaw };
}

/** The context of a request with the token of a consent. */
export function asGrantor(io: ConnectIo, network: Job["network"], { accessToken }: Pick<Grant, "accessToken">) {
  return { ...io, network, connection: { accessToken } };
}
