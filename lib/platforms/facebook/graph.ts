// Graph API requests as a page, to the API host and to the video upload host.
import { createApi } from "../api.ts";
import { assertSuccess } from "../meta.ts";
import { DIALECT } from "./errors.ts";
import { FACEBOOK } from "./rules.ts";

export const NETWORK = "Facebook";

export const { request: requestGraph, requestRaw: requestGraphRaw } = createApi({
  platform: "facebook",
  prefix: `/${FACEBOOK.version}/`,
  assertSuccess(io, response, { irreversible = false }) {
    assertSuccess(io, response, { prefix: "fb", irreversible, dialect: DIALECT });
  },
});

/** Video bytes use a separate host, except with a custom base URL, which serves both. */
export function getVideoBaseUrl(baseUrl: string): string {
  return baseUrl === "https://graph.facebook.com" ? "https://graph-video.facebook.com" : baseUrl;
}
