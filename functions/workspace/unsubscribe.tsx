// The link at the end of every mail of notifications. Opening it changes nothing, since mail scanners open links.
import { readUnsubscribeToken } from "../../lib/notifications/unsubscribe.ts";
import { saveNotificationSettings } from "../../lib/queries/notifications.ts";
import { Plain } from "./layout.tsx";
import type { PageContext } from "./page.ts";
import { PageError } from "./session.ts";

export function showUnsubscribe(c: PageContext): Response | Promise<Response> {
  requirePerson(c);
  return c.html(
    <Plain title="No more mails?">
      <h1>No more mails?</h1>
      <p>You are no longer notified when a post fails, or when an account must be connected again.</p>
      <form method="post">
        <button class="primary" type="submit">
          Send me no more mails
        </button>
      </form>
    </Plain>,
  );
}

export async function unsubscribe(c: PageContext): Promise<Response> {
  const personId = requirePerson(c);
  await saveNotificationSettings(c.var.services.db, personId, { frequency: "none", timeZone: null, now: c.var.now });
  return c.html(
    <Plain title="No more mails">
      <h1>Done</h1>
      <p>You get no more of these mails. In the dashboard, under Notifications, you can turn them on again.</p>
    </Plain>,
  );
}

function requirePerson(c: PageContext): string {
  const personId = readUnsubscribeToken(c.var.services.env, c.req.param("token") ?? "");
  if (!personId) throw new PageError(404, "This link is not known. Check that the address is complete.");
  return personId;
}
