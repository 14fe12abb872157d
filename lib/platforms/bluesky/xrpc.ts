// Requests to Bluesky's services by XRPC.
import { type HttpContext, type NetworkRequest, type NetworkResponse, sendRequest } from "../http.ts";

export const NETWORK = "Bluesky";

export interface XrpcRequest {
  method: "GET" | "POST";
  /** Method name: `com.atproto.repo.createRecord`. */
  name: string;
  token?: string;
  query?: Record<string, string | undefined>;
  json?: unknown;
  body?: ReadableStream;
  headers?: Record<string, string>;
  timeoutMs?: number;
  irreversible?: boolean;
}

/** Sends an XRPC request and returns any response below 500. */
export function callXrpc(io: HttpContext, host: string, request: XrpcRequest): Promise<NetworkResponse> {
  return sendRequest(io, toNetworkRequest(host, request));
}

export function toNetworkRequest(host: string, { name, token, ...rest }: XrpcRequest): NetworkRequest {
  return { network: NETWORK, url: `${host}/xrpc/${name}`, ...(token ? { bearer: token } : {}), ...rest };
}
