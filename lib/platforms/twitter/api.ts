// Requests to X's API v2.
import { createApi } from "../api.ts";
import { assertSuccess } from "./errors.ts";

export const { request, requestRaw } = createApi({ platform: "twitter", prefix: "/2/", assertSuccess });
