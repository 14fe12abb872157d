// Requests to YouTube's Data API, to its uploads, and to the session of an upload.
import { createApi } from "../api.ts";
import { assertSuccess } from "./errors.ts";

export const { request, requestRaw } = createApi({ platform: "youtube", prefix: "", assertSuccess });
