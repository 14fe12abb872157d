// Requests to TikTok's API v2.
import { createApi } from "../api.ts";
import { assertSuccess } from "./errors.ts";

export const { request } = createApi({ platform: "tiktok", prefix: "/v2/", assertSuccess });
