// The person chooses how often to get mails, for all of their workspaces.
import { findNotificationSettings, saveNotificationSettings } from "../../../lib/queries/notifications.ts";
import { FREQUENCIES, type Frequency } from "../../../lib/shared/notifications.ts";
import { Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { finishAction, PageError } from "../session.ts";

const WORDS: Record<Frequency, [name: string, hint: string]> = {
  at_once: ["At once", "Within a minute or two, what happens together in one mail."],
  daily: ["Once a day", "At eight in the morning, and only if something happened."],
  none: ["Never", "The queue and the accounts still show it."],
};

const loadSettings = (c: PageContext) => findNotificationSettings(c.var.services.db, c.var.session.person.id);

async function showNotifications(c: PageContext): Promise<Response> {
  const { frequency, timeZone } = await loadSettings(c);
  return c.html(
    <Layout c={c} title="Notifications" active="notifications">
      <p class="lead">
        You are notified by email when a post has failed and you have to act, and when an account must be connected
        again within seven days. This is for all workspaces of {c.var.session.person.email}.
      </p>
      <form method="post" class="card stack">
        <fieldset>
          <legend>How often</legend>
          {FREQUENCIES.map((one) => (
            <label class="check">
              <input type="radio" name="frequency" value={one} checked={one === frequency} />
              <span>
                {WORDS[one][0]} <small>{WORDS[one][1]}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <p class="hint">
          Times are in {timeZone}; saving sets the time zone to {c.var.timeZone}, that of this workspace.
        </p>
        <button class="primary" type="submit">
          Save
        </button>
      </form>
    </Layout>,
  );
}

async function saveNotifications(c: PageContext): Promise<Response> {
  const { services, session, timeZone, now } = c.var;
  const form = await c.req.parseBody();
  const frequency = FREQUENCIES.find((one) => one === form.frequency);
  if (!frequency) throw new PageError(400, "Choose how often you want mails.");
  await saveNotificationSettings(services.db, session.person.id, { frequency, timeZone, now });
  return finishAction(c, "notifications", "Saved.");
}

export const notificationPages: Page[] = [
  { id: "notifications.show", method: "GET", path: "/notifications", role: "viewer", handle: showNotifications },
  { id: "notifications.save", method: "POST", path: "/notifications", role: "viewer", handle: saveNotifications },
];
