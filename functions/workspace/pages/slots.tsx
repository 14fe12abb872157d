// The weekly slots of an account: a line of times for each day.
import type * as z from "zod";
import { findAccountName } from "../../../lib/queries/accounts.ts";
import type { AccountSlots } from "../../../lib/schemas/slots.ts";
import getSlots from "../../accounts/get-slots.ts";
import setSlots from "../../accounts/set-slots.ts";
import { WEEKDAYS } from "../format.ts";
import { Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { redirectWithNotice, runOperation } from "../run-operation.ts";
import { hasRole, requireId } from "../session.ts";
import { ZoneField } from "../zone-field.tsx";

async function showSlots(c: PageContext): Promise<Response> {
  const { services, workspace } = c.var;
  const accountId = requireId(c, "accountId", "account");
  const [plan, name] = await Promise.all([
    runOperation<z.output<typeof AccountSlots>>(c, getSlots, { params: { accountId } }),
    findAccountName(services.db, workspace.actor.scope, accountId),
  ]);
  const mayChange = hasRole(workspace.role, "admin");
  return c.html(
    <Layout c={c} title={`Slots of ${name ?? "the account"}`} active="accounts">
      <p class="lead">Posts that are given to the next free slot go out at these times, one post at each.</p>
      <form method="post" class="card stack">
        <ZoneField label="Times are in" value={plan.time_zone} disabled={!mayChange} />
        {WEEKDAYS.map((day, at) => (
          <label class="field">
            <span>{day}</span>
            <input
              name={`day${at + 1}`}
              value={plan.slots.flatMap(({ weekday, time }) => (weekday === at + 1 ? [time] : [])).join(", ")}
              placeholder="09:00, 18:30"
              pattern="[0-9:,; ]*"
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
  );
}

async function saveSlots(c: PageContext): Promise<Response> {
  const accountId = requireId(c, "accountId", "account");
  const form = await c.req.parseBody();
  const slots = WEEKDAYS.flatMap((_, at) =>
    readTimes(String(form[`day${at + 1}`] ?? "")).map((time) => ({ weekday: at + 1, time })),
  );
  return redirectWithNotice(c, `accounts/${accountId}/slots`, async () => {
    const body = { time_zone: String(form.time_zone ?? ""), slots };
    await runOperation(c, setSlots, { params: { accountId }, body });
    return slots.length === 0 ? "The account has no slots." : `Saved: ${slots.length} slots a week.`;
  });
}

/** `9:00` is what people type for `09:00`. */
const readTimes = (text: string): string[] =>
  text
    .split(/[,;\s]+/)
    .filter(Boolean)
    .map((time) => time.padStart(5, "0"));

export const slotPages: Page[] = [
  { id: "slots.show", method: "GET", path: "/accounts/:accountId/slots", role: "viewer", handle: showSlots },
  { id: "slots.save", method: "POST", path: "/accounts/:accountId/slots", role: "admin", handle: saveSlots },
];
