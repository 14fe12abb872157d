// Requests to LinkedIn's versioned REST API.
import { createApi } from "../api.ts";
import type { Job } from "../platform.ts";
import { assertSuccess } from "./errors.ts";
import { LINKEDIN } from "./rules.ts";

export const NETWORK = "LinkedIn";

export function getVersionHeaders({ apiVersion }: Job["network"]) {
  return { "linkedin-version": apiVersion ?? LINKEDIN.version, "x-restli-protocol-version": "2.0.0" };
}

export const { request, requestRaw } = createApi({
  platform: "linkedin",
  prefix: "/",
  getHeaders: getVersionHeaders,
  assertSuccess: (_io, response) => assertSuccess(response),
});
