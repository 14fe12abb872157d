// The weekly slots of an account.
import * as z from "zod";
import { MAX_SLOTS } from "../shared/slots.ts";
import { Id } from "./common.ts";
import { TimeZone } from "./schedule.ts";

const Slot = z
  .strictObject({
    weekday: z.int().min(1).max(7),
    time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Must be a time from 00:00 to 23:59, such as 09:00."),
  })
  .meta({ id: "Slot" });

export const SlotsPut = z
  .strictObject({
    time_zone: TimeZone,
    slots: z.array(Slot).max(MAX_SLOTS, `Must have at most ${MAX_SLOTS} slots.`),
  })
  .superRefine(({ slots }, context) => {
    const seen = new Set<string>();
    for (const [at, { weekday, time }] of slots.entries()) {
      const key = `${weekday} ${time}`;
      const message = `The slot at ${time} of weekday ${weekday} is in the list already. Remove one of them.`;
      if (seen.has(key))
        context.addIssue({ code: "custom", path: ["slots", at], message, params: { code: "repeated" } });
      seen.add(key);
    }
  })
  .transform(({ slots, ...same }) => ({
    ...same,
    slots: slots.toSorted((a, b) => a.weekday - b.weekday || a.time.localeCompare(b.time)),
  }))
  .meta({ id: "SlotsPut" });

export const AccountSlots = z
  .object({ account_id: Id, time_zone: z.string(), slots: z.array(z.object({ weekday: z.int(), time: z.string() })) })
  .meta({ id: "AccountSlots" });
