// The log of requests that a key can read about itself.
import * as z from "zod";
import { Instant } from "./common.ts";
import { cursorField, cursorPageFields, Milliseconds, offsetFields } from "./pagination.ts";

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

/** A caller may repeat a request id, so the instant belongs to the position. */
const Position = z
  .tuple([Milliseconds, z.string().min(1).max(128)])
  .transform(([ms, requestId]) => ({ at: new Date(ms).toISOString(), requestId }));

export const RequestQuery = z.strictObject({
  ...offsetFields({ max: 100, defaultLimit: 20 }),
  cursor: cursorField(Position).optional(),
});

export const RequestList = z.object({
  requests: z.array(LoggedRequest),
  limit: z.int(),
  offset: z.int(),
  ...cursorPageFields,
  has_more: z.boolean(),
});
