// Fetches from hosts that customers chose: public addresses only.
import type { Services } from "../services/context.ts";
import { safeFetch } from "../services/safe-fetch.ts";

type FetchServices = Pick<Services, "fetch" | "resolveHost" | "env">;

export function fetchPublic(
  { fetch, resolveHost, env }: FetchServices,
  url: string,
  init: RequestInit,
): Promise<Response> {
  return safeFetch({ fetch, resolveHost, allowedHosts: env.allowedHosts }, url, init);
}
