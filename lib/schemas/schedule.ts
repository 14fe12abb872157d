// When a post goes out, in requests and responses: an instant, a time of a clock, or the next free slot.
import * as z from "zod";
import { AT_ONCE, GAP_RULES, NEXT_SLOT, OVERLAP_RULES, type PostTime } from "../shared/schedule.ts";
import { addDays, parseTimeZone } from "../shared/time-zone.ts";
import { instantSchema, readInstant } from "./common.ts";

/** Longer than any name of IANA. */
const MAX_ZONE_LENGTH = 60;

/** An IANA time zone in a request, as it is given. */
const TimeZoneName = z
  .string()
  .max(MAX_ZONE_LENGTH)
  .superRefine((name, context) => {
    if (parseTimeZone(name)) return;
    const message = "Must be the IANA name of a time zone, such as Europe/Berlin or UTC. An offset is no time zone.";
    context.addIssue({ code: "custom", message, params: { code: "invalid_time_zone" } });
  });

/** The same in the case that IANA has. */
export const TimeZone = TimeZoneName.transform((name) => parseTimeZone(name) ?? name);

const LOCAL_FORM = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.\d{1,3})?)?$/;

/** Why a text is no time of a clock, with a form that is; null if it is one. */
function describeLocalTime(text: string): string | null {
  const [, day = "", time = "", second = "00"] = LOCAL_FORM.exec(text) ?? [];
  if (!day) {
    const hint = /(Z|[+-]\d{2}:?\d{2})(\[|$)/i.test(text.slice(11))
      ? "It has an offset: send it as scheduled_at itself, not as local."
      : "Send date and time of the clock, such as 2030-01-15T18:00.";
    return `Must be a time without an offset. ${hint}`;
  }
  const date = new Date(`${day}T00:00:00Z`);
  const isDay = !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === day;
  if (!isDay) return `There is no day ${day}. Send one that exists, such as 2030-01-15T18:00.`;
  if (time === "24:00") return `A day ends before 24:00. Send 00:00 of the next one: ${addDays(day, 1)}T00:00.`;
  if (time > "23:59" || time.slice(3) > "59")
    return `There is no time ${time}. Send 00:00 to 23:59, such as ${day}T18:00.`;
  if (second > "59") return `Seconds are 00 to 59, without leap seconds. Send ${day}T${time}:59.`;
  const isSupported = day >= "1970-01-02" && day < "9000-12-31";
  return isSupported ? null : "Must be from 1970 to 9000, such as 2030-01-15T18:00.";
}

const LocalTime = z
  .string()
  .max(40)
  .superRefine((text, context) => {
    const message = describeLocalTime(text);
    if (message) context.addIssue({ code: "custom", message, params: { code: "invalid_local_time" } });
  });

const ClockTimeInput = z
  .strictObject({
    local: LocalTime,
    time_zone: TimeZoneName.optional(),
    on_gap: z.enum(GAP_RULES).optional(),
    on_overlap: z.enum(OVERLAP_RULES).optional(),
  })
  .meta({ id: "ClockTime" });

const FORMS =
  'Must be an instant such as 2030-01-15T18:00:00Z, a time of a clock such as {"local": "2030-01-15T18:00", "time_zone": "Europe/Berlin"}, or "next_slot".';

/** The first branch reports what is wrong with a text. */
export const TimeInput = z
  .union([instantSchema(readInstant, FORMS), z.literal(NEXT_SLOT), ClockTimeInput])
  .transform((given): PostTime => {
    if (given instanceof Date) return { ...AT_ONCE, scheduledAt: given };
    return { ...AT_ONCE, schedule: given };
  });

/** How the time of a post was given, in a response. */
export const Schedule = z
  .union([
    z.literal(NEXT_SLOT),
    z
      .object({
        local: z.string(),
        time_zone: z.string().optional(),
        on_gap: z.enum(GAP_RULES).optional(),
        on_overlap: z.enum(OVERLAP_RULES).optional(),
      })
      .meta({ id: "GivenClockTime" }),
  ])
  .nullable();
