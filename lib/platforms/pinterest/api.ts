// Requests to Pinterest's API.
import { createApi } from "../api.ts";
import { assertSuccess } from "./errors.ts";

export const NETWORK = "Pinterest";

export const { request, requestRaw } = createApi({
  platform: "pinterest",
  prefix: "/v5/",
  assertSuccess: (_io, response) => assertSuccess(response),
});
