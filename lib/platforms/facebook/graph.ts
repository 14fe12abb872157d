// Graph API requests as a page. Videos go to the same host: graph-video.facebook.com is deprecated,
// https://developers.facebook.com/docs/video-api/overview, read 2026-11-28.
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
