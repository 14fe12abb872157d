// Apps of the customer at the networks: bring one, see what it is used for, and remove it.
import type { FC } from "hono/jsx";
import { getRedirectUri } from "../../../lib/accounts/connect-context.ts";
import { APP_PLATFORMS, saveOwnApp } from "../../../lib/accounts/own-apps.ts";
import { countDailyUploads, getDailyUploads } from "../../../lib/publishing/daily-uploads.ts";
import { type ListedNetworkApp, listNetworkApps, retireNetworkApp } from "../../../lib/queries/network-apps.ts";
import { getPublicUrl } from "../../../lib/services/env.ts";
import type { Platform } from "../../../lib/shared/platforms.ts";
import { formatDay, getPlatformName } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import { Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { PlatformMark } from "../platform-mark.tsx";
import { redirectWithNotice } from "../run-operation.ts";
import { finishAction, openAudited, PageError } from "../session.ts";

interface App extends ListedNetworkApp {
  uploads: { used: number | null; limit: number } | null;
}

async function showApps(c: PageContext): Promise<Response> {
  const { services, workspace } = c.var;
  const apps = await Promise.all(
    (await listNetworkApps(services.db, workspace.id)).map(async (app): Promise<App> => {
      const limit = getDailyUploads(services, app.platform, app);
      const uploads = limit === null ? null : { limit, used: await countDailyUploads(services, app.platform, app) };
      return { ...app, uploads };
    }),
  );
  return c.html(
    <Layout c={c} title="Network apps" active="accounts">
      <p class="lead">
        Accounts are connected with the app of this service. With an app of your own at a network, its reviews, limits
        and restrictions are yours alone. Connected accounts keep the app they have until they are connected again.
      </p>
      <ul class="records">
        {APP_PLATFORMS.map((platform) => (
          <PlatformRecord c={c} platform={platform} apps={apps.filter((app) => app.platform === platform)} />
        ))}
      </ul>
    </Layout>,
  );
}

const PlatformRecord: FC<{ c: PageContext; platform: Platform; apps: App[] }> = ({ c, platform, apps }) => {
  const name = getPlatformName(platform);
  const current = apps.find(({ retiredAt }) => retiredAt === null);
  return (
    <li class="card record" id={platform}>
      <PlatformMark platform={platform} />
      <div class="grow">
        <h2>
          {name} {current && <span class="badge valid">your app</span>}
        </h2>
        {apps.length === 0 ? (
          <p class="hint">New accounts are connected with the app of this service.</p>
        ) : (
          apps.map((app) => <AppFacts c={c} app={app} />)
        )}
        <details>
          <summary>{current ? "Change" : `Bring your own ${name} app`}</summary>
          <AppForm c={c} platform={platform} current={current} />
        </details>
      </div>
      {current && (
        <ActionForm
          action={`/dashboard/${c.var.workspace.id}/network-apps/${platform}/remove`}
          question={`Remove your ${name} app? Accounts that were connected with it keep publishing with it; new ones use the app of this service.`}
          buttonClass="danger"
        >
          Remove
        </ActionForm>
      )}
    </li>
  );
};

const AppFacts: FC<{ c: PageContext; app: App }> = ({ c, app }) => {
  const { clientId, secretEnd, accounts, uploads, retiredAt, updatedAt } = app;
  const { timeZone } = c.var;
  return (
    <>
      <p class="hint">
        <code>{clientId}</code> · secret ends in <code>{secretEnd}</code> ·{" "}
        {retiredAt ? `removed ${formatDay(retiredAt, timeZone)}` : `saved ${formatDay(updatedAt, timeZone)}`} ·{" "}
        {accounts === 1 ? "1 account publishes with it" : `${accounts} accounts publish with it`}
      </p>
      {uploads && (
        <p class="hint">
          {uploads.used === null
            ? "Uploads today are not known"
            : `${uploads.used} of ${uploads.limit} uploads used today`}{" "}
          (the day of {getPlatformName(app.platform)} ends at midnight in Los Angeles)
        </p>
      )}
      {retiredAt && <p class="reason">Connect these accounts again to move them to the current app.</p>}
    </>
  );
};

const AppForm: FC<{ c: PageContext; platform: Platform; current: App | undefined }> = ({ c, platform, current }) => {
  const id = (field: string) => `${platform}-${field}`;
  const redirectUri = getRedirectUri(new URL(getPublicUrl(c.var.services.env)).origin, platform);
  return (
    <form method="post" class="stack" action={`/dashboard/${c.var.workspace.id}/network-apps/${platform}`}>
      <p class="hint">
        At the network, register this redirect URL with your app: <code>{redirectUri}</code>
      </p>
      <label for={id("client")}>Client id</label>
      <input id={id("client")} name="clientId" required maxlength={200} value={current?.clientId} autocomplete="off" />
      <label for={id("secret")}>Client secret</label>
      <input
        id={id("secret")}
        name="clientSecret"
        type="password"
        required={!current}
        maxlength={500}
        autocomplete="off"
        placeholder={current ? "Unchanged" : undefined}
      />
      <label for={id("scopes")}>
        Permissions, if your app has others than usual; with + in front they are added (optional)
      </label>
      <input id={id("scopes")} name="scopes" maxlength={1000} value={current?.scopes?.join(" ")} autocomplete="off" />
      {platform === "youtube" && (
        <>
          <label for={id("uploads")}>Uploads per day that Google allows the project (optional, 100 by default)</label>
          <input
            id={id("uploads")}
            name="uploadsPerDay"
            inputmode="numeric"
            pattern="[0-9]*"
            value={current?.uploadsPerDay ?? undefined}
          />
        </>
      )}
      <button type="submit" class="primary">
        Save
      </button>
    </form>
  );
};

function requirePlatform(c: PageContext): Platform {
  const platform = APP_PLATFORMS.find((one) => one === c.req.param("platform"));
  if (!platform) throw new PageError(404, "There is no such network, or it needs no app.");
  return platform;
}

async function saveApp(c: PageContext): Promise<Response> {
  const platform = requirePlatform(c);
  const form = await c.req.parseBody();
  const read = (name: string) => (typeof form[name] === "string" ? form[name] : "");
  const [clientId, clientSecret] = [read("clientId"), read("clientSecret")];
  const input = { platform, clientId, clientSecret, scopes: read("scopes"), uploadsPerDay: read("uploadsPerDay") };
  const { env, clock } = c.var.services;
  return redirectWithNotice(c, "network-apps", async () => {
    const services = { db: openAudited(c, "network-apps.save"), env, clock };
    await saveOwnApp(services, c.var.workspace.actor.scope, input);
    return `New ${getPlatformName(platform)} accounts are connected with your app. Connect an account again to move it.`;
  });
}

async function removeApp(c: PageContext): Promise<Response> {
  const platform = requirePlatform(c);
  const { workspace, now } = c.var;
  const isRemoved = await retireNetworkApp(openAudited(c, "network-apps.remove"), workspace.id, platform, now);
  if (!isRemoved) throw new PageError(404, "This workspace has no app at this network.");
  return finishAction(c, "network-apps", `New ${getPlatformName(platform)} accounts use the app of this service.`);
}

export const networkAppPages: Page[] = [
  { id: "network-apps.show", method: "GET", path: "/network-apps", role: "admin", handle: showApps },
  { id: "network-apps.save", method: "POST", path: "/network-apps/:platform", role: "admin", handle: saveApp },
  {
    id: "network-apps.remove",
    method: "POST",
    path: "/network-apps/:platform/remove",
    role: "admin",
    handle: removeApp,
  },
];
