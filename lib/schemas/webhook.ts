// Webhooks: where a scope wants its events to be sent.
import * as z from "zod";
import { Id, Instant } from "./common.ts";

export const Webhook = z
  .object({
    id: Id,
    url: z.string(),
    types: z.array(z.string()),
    description: z.string().nullable(),
    status: z.enum(["enabled", "disabled"]),
    failing_since: Instant.nullable(),
    disabled_at: Instant.nullable(),
    disabled_reason: z.enum(["failures", "request"]).nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Webhook" });
