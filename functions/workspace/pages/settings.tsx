// Settings of the workspace: the time zone in which its people read and write times.
import { findWorkspaceSettings } from "../../../lib/queries/workspaces.ts";
import { parseTimeZone, toWallClock } from "../../../lib/shared/time-zone.ts";
import updateWorkspace from "../../workspace-settings/update.ts";
import { Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { redirectWithNotice, runOperation } from "../run-operation.ts";
import { hasRole } from "../session.ts";
import { ZoneField } from "../zone-field.tsx";

async function showSettings(c: PageContext): Promise<Response> {
  const { services, workspace, now } = c.var;
  const saved = await findWorkspaceSettings(services.db, workspace.actor.scope);
  const timeZone = saved?.timeZone ?? "UTC";
  const clock = toWallClock(now, timeZone).slice(11, 16);
  return c.html(
    <Layout c={c} title="Settings" active="settings">
      <form method="post" class="card stack">
        <ZoneField
          label="Time zone of the workspace"
          value={timeZone}
          disabled={!hasRole(workspace.role, "admin")}
          hint="time-zone-hint"
        />
        <p id="time-zone-hint" class="hint">
          It is {clock} there now. Everybody reads and writes times in this zone, and so does the API where a time names
          none. Posts that are scheduled keep their times.
        </p>
        {hasRole(workspace.role, "admin") && (
          <div class="row">
            <button class="primary" type="submit">
              Save
            </button>
            <button type="button" data-browser-zone="time_zone" hidden />
          </div>
        )}
      </form>
    </Layout>,
  );
}

async function saveSettings(c: PageContext): Promise<Response> {
  const { time_zone: name } = await c.req.parseBody();
  return redirectWithNotice(c, "settings", async () => {
    const zone = parseTimeZone(String(name ?? "")) ?? String(name ?? "");
    await runOperation(c, updateWorkspace, { body: { time_zone: zone } });
    return `Times are in ${zone} from now on.`;
  });
}

export const settingsPages: Page[] = [
  { id: "settings.show", method: "GET", path: "/settings", role: "viewer", handle: showSettings },
  { id: "settings.save", method: "POST", path: "/settings", role: "admin", handle: saveSettings },
];
