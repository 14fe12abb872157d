// Test mode: its clock, and what an advance of it ran.
import * as z from "zod";
import { DAY_SECONDS } from "../shared/durations.ts";
import { Id, Instant, InstantInput } from "./common.ts";

const MAX_SECONDS = 400 * DAY_SECONDS;

export const SandboxAdvance = z
  .strictObject({ seconds: z.int().min(1).max(MAX_SECONDS).optional(), to: InstantInput.optional() })
  .refine(({ seconds, to }) => (seconds === undefined) !== (to === undefined), {
    message: "Send either seconds or to.",
  })
  .meta({ id: "SandboxAdvance" });
export type SandboxAdvance = z.output<typeof SandboxAdvance>;

/** The kinds of work that an advance reports. */
export const WORK_NAMES = [
  ...(["post", "scheduled_check", "webhook", "analytics_refresh", "token_refresh", "approval_expired"] as const),
] as const;

export const SandboxAdvanced = z
  .object({
    now: Instant,
    ran: z.array(z.object({ at: Instant, what: z.enum(WORK_NAMES), id: Id }).meta({ id: "SandboxWork" })),
    more: z.boolean(),
  })
  .meta({ id: "SandboxAdvanced" });

export const SandboxReset = z.object({ now: Instant }).meta({ id: "SandboxReset" });
