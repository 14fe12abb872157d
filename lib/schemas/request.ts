// The log of requests that a key can read about itself.
import * as z from "zod";
import { Instant, paginationFields } from "./common.ts";

export const LoggedRequest = z
  .object({
    request_id: z.string(),
    operation: z.string(),
    method: z.string(),
    route: z.string(),
    status: z.int(),
    error_code: z.string().nullable(),
    ms: z.int(),
    at: Instant,
  })
  .meta({ id: "LoggedRequest" });

export const RequestQuery = z.strictObject(paginationFields({ max: 100, defaultLimit: 20 }));

export const RequestList = z.object({
  requests: z.array(LoggedRequest),
  limit: z.int(),
  offset: z.int(),
  has_more: z.boolean(),
});
