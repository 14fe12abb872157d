// The plan of a key's scope.
import * as z from "zod";
import { Id, Instant } from "./common.ts";

const Credits = z
  .object({
    limit: z.int().nullable(),
    used_this_period: z.int().nullable(),
    remaining: z.int().nullable(),
    reset_at: Instant.nullable(),
  })
  .meta({ id: "Credits" });

export const SubscriptionDetails = z.object({
  scope: z.enum(["workspace", "personal"]),
  workspace_id: Id.nullable(),
  subscription: z.object({
    status: z.string(),
    tier: z.string(),
    billing_interval: z.enum(["month", "year"]).nullable(),
    renews_at: Instant.nullable(),
    credits: Credits,
  }),
});
