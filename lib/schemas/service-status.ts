// The status of the service: if it can publish, and how well it does.
import * as z from "zod";
import { PLATFORMS } from "../shared/platforms.ts";
import { Instant } from "./common.ts";

const NetworkStatus = z
  .object({
    platform: z.enum(PLATFORMS),
    status: z.enum(["operational", "degraded", "no_recent_posts"]),
    published: z.int(),
    failed: z.int(),
    success_rate: z.number().nullable(),
    lateness_p50_ms: z.int().nullable(),
    lateness_p95_ms: z.int().nullable(),
    overdue: z.int(),
  })
  .meta({ id: "NetworkStatus" });

export const ServiceStatus = z.object({
  generated_at: Instant,
  period_seconds: z.int(),
  status: z.enum(["operational", "degraded"]),
  networks: z.array(NetworkStatus),
});
export type ServiceStatus = z.input<typeof ServiceStatus>;

export const ServiceHealth = z.object({ status: z.literal("ok"), checked_at: Instant });
