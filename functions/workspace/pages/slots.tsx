// The weekly slots of an account: a line of times for each day.
import type * as z from "zod";
import { findAccountName } from "../../../lib/queries/accounts.ts";
import type { AccountSlots } from "../../../lib/schemas/slots.ts";
import { MAX_SLOTS } from "../../../lib/shared/slots.ts";
import { parseTimeZone } from "../../../lib/shared/time-zone.ts";
import getSlots from "../../accounts/get-slots.ts";
import setSlots from "../../accounts/set-slots.ts";
import { WEEKDAYS } from "../format.ts";
import { Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { redirectWithNotice, runOperation } from "../run-operation.ts";
import { hasRole, requireId } from "../session.ts";
import { ZoneField } from "../zone-field.tsx";

interface Typed {
  timeZone: string;
  /** The line of each day, from Monday. */
  days: string[];
}

interface Rejected extends Typed {
  problem: string;
}

async function showSlots(c: PageContext, rejected?: Rejected): Promise<Response> {
  const { services, workspace } = c.var;
  const accountId = requireId(c, "accountId", "account");
  const [plan, name] = await Promise.all([
    runOperation<z.output<typeof AccountSlots>>(c, getSlots, { params: { accountId } }),
    findAccountName(services.db, workspace.actor.scope, accountId),
  ]);
  const mayChange = hasRole(workspace.role, "admin");
  const stored = WEEKDAYS.map((_, at) =>
    plan.slots.flatMap(({ weekday, time }) => (weekday === at + 1 ? [time] : [])).join(", "),
  );
  const { timeZone, days, problem } = rejected ?? { timeZone: plan.time_zone, days: stored, problem: null };
  return c.html(
    <Layout c={c} title={`Slots of ${name ?? "the account"}`} active="accounts">
      <p class="lead">Posts that are given to the next free slot go out at these times, one post at each.</p>
      <form method="post" class="card stack">
        {problem && (
          <p class="notice problem" role="alert">
            {problem}
          </p>
        )}
        <ZoneField label="Times are in" value={parseTimeZone(timeZone) ?? plan.time_zone} disabled={!mayChange} />
        {WEEKDAYS.map((day, at) => (
          <label class="field">
            <span>{day}</span>
            <input
              name={`day${at + 1}`}
              value={days[at]}
              placeholder="09:00, 18:30"
              title="Times from 00:00 to 23:59, separated by commas"
              disabled={!mayChange}
            />
          </label>
        ))}
        {mayChange && (
          <button class="primary" type="submit">
            Save
          </button>
        )}
      </form>
    </Layout>,
    rejected ? 422 : 200,
  );
}

async function saveSlots(c: PageContext): Promise<Response> {
  const accountId = requireId(c, "accountId", "account");
  const form = await c.req.parseBody();
  const typed = {
    timeZone: String(form.time_zone ?? ""),
    days: WEEKDAYS.map((_, at) => String(form[`day${at + 1}`] ?? "")),
  };
  const days = typed.days.map(readTimes);
  const slots = days.flatMap((times, at) => times.map((time) => ({ weekday: at + 1, time })));
  const problem = findProblem(typed.timeZone, days, slots.length);
  if (problem) return showSlots(c, { ...typed, problem });
  return redirectWithNotice(c, `accounts/${accountId}/slots`, async () => {
    await runOperation(c, setSlots, { params: { accountId }, body: { time_zone: typed.timeZone, slots } });
    if (slots.length === 0) return "The account has no slots.";
    return slots.length === 1 ? "Saved: 1 slot a week." : `Saved: ${slots.length} slots a week.`;
  });
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

function findProblem(timeZone: string, days: string[][], count: number): string | null {
  if (!parseTimeZone(timeZone)) return "Times are in: choose one of the time zones of the list.";
  for (const [at, times] of days.entries()) {
    const wrong = times.find((time) => !TIME.test(time));
    if (wrong !== undefined)
      return `${WEEKDAYS[at]}: “${wrong.slice(0, 20)}” is no time. Enter times from 00:00 to 23:59, such as 09:00, separated by commas.`;
  }
  return count > MAX_SLOTS ? `An account has at most ${MAX_SLOTS} slots a week, and these are ${count}.` : null;
}

/** Each time once; `9`, `9:00` and `9.00` are what people type for `09:00`. */
function readTimes(text: string): string[] {
  const times = text.normalize("NFKC").split(/[,;\s]+/);
  return [...new Set(times.filter(Boolean).map(toTime))];
}

function toTime(text: string): string {
  const [, hour = "", minute = "00"] = /^(\d{1,2})(?:[:.](\d\d))?$/.exec(text) ?? [];
  return hour ? `${hour.padStart(2, "0")}:${minute}` : text;
}

export const slotPages: Page[] = [
  { id: "slots.show", method: "GET", path: "/accounts/:accountId/slots", role: "viewer", handle: (c) => showSlots(c) },
  { id: "slots.save", method: "POST", path: "/accounts/:accountId/slots", role: "admin", handle: saveSlots },
];
