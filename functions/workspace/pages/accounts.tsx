// Connected accounts and how they are: the last post, when the connection ends, and what to do about it.
import type { FC } from "hono/jsx";
import { listConnectOffers } from "../../../lib/accounts/connect-context.ts";
import { drivers } from "../../../lib/platforms/index.ts";
import { getReconnectBy } from "../../../lib/platforms/token-lifetimes.ts";
import { type AccountHealth, listAccountHealth } from "../../../lib/queries/accounts.ts";
import { findConnectLink, listOpenConnectLinks } from "../../../lib/queries/connect-links.ts";
import { DAY_MS } from "../../../lib/shared/durations.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import { PLATFORMS, type Platform } from "../../../lib/shared/platforms.ts";
import createConnectLink from "../../accounts/create-connect-link.ts";
import disconnectAccount from "../../accounts/disconnect.ts";
import { formatDay, formatDistance, getPlatformName } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import { Empty, Layout, NoticeBox } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { PlatformMark } from "../platform-mark.tsx";
import { redirectWithNotice, runOperation } from "../run-operation.ts";
import { hasRole, PageError } from "../session.ts";
import { ConnectLinks } from "./connect-links.tsx";

const SOON_MS = 7 * DAY_MS;

async function showAccounts(c: PageContext): Promise<Response> {
  const { services, workspace, now } = c.var;
  const manages = hasRole(workspace.role, "admin");
  const linkId = c.req.query("connect_link_id")?.toLowerCase() ?? "";
  const [list, links, link] = await Promise.all([
    listAccountHealth(services.db, workspace.id),
    listOpenConnectLinks(services.db, workspace.id, now),
    manages && isUuid(linkId) ? findConnectLink(services.db, workspace.actor.scope, linkId) : null,
  ]);
  const connected = link?.accounts.map(({ platform, username }) => `${getPlatformName(platform)} ${username}`) ?? [];
  return c.html(
    <Layout c={c} title="Accounts" active="accounts">
      {connected.length > 0 && <NoticeBox notice={{ kind: "done", text: `Connected: ${connected.join(", ")}.` }} />}
      {list.length === 0 ? (
        <Empty title="No accounts yet">
          <p>Posts go to accounts. Connect the first one; its owner signs in at the network and allows it.</p>
        </Empty>
      ) : (
        <ul class="records">
          {list.map((account) => (
            <AccountRecord c={c} account={account} />
          ))}
        </ul>
      )}
      {manages && (
        <>
          <ConnectForm c={c} />
          <ConnectLinks c={c} links={links} />
        </>
      )}
    </Layout>,
  );
}

const ConnectForm: FC<{ c: PageContext }> = ({ c }) => (
  <section>
    <h2>Connect an account</h2>
    <p class="hint">
      You sign in at the network. Accounts are connected with the app of this service, or with{" "}
      <a href={`/dashboard/${c.var.workspace.id}/network-apps`}>an app of your own</a>.
    </p>
    <form method="post" action={`/dashboard/${c.var.workspace.id}/accounts/connect`} class="networks">
      {PLATFORMS.map((platform) => (
        <button type="submit" name="platform" value={platform}>
          <PlatformMark platform={platform} /> {getPlatformName(platform)}
        </button>
      ))}
    </form>
  </section>
);

const STATUS_WORDS = {
  active: "connected",
  paused: "paused",
  disconnected: "disconnected",
  revoked: "access revoked",
} as const;

const AccountRecord: FC<{ c: PageContext; account: AccountHealth }> = ({ c, account }) => {
  const { now, timeZone, workspace } = c.var;
  const { id, platform, type, username, displayName, status, statusReason } = account;
  const reconnectBy = getReconnectBy(account);
  const lastPublishedAt = account.lastPublishedAt ? new Date(account.lastPublishedAt) : null;
  const endsSoon = reconnectBy !== null && reconnectBy.getTime() - now.getTime() < SOON_MS;
  const canManage = hasRole(workspace.role, "admin") && type === "byo";
  return (
    <li class="card record" id={id}>
      <PlatformMark platform={platform} />
      <div class="grow">
        <h2>
          {displayName} <span class={`badge ${status}`}>{STATUS_WORDS[status]}</span>
        </h2>
        <p class="hint">
          {getPlatformName(platform)} · {username} · {type === "hosted" ? "hosted for you · " : ""}
          {lastPublishedAt ? `last post ${formatDistance(lastPublishedAt, now)}` : "no post yet"}
        </p>
        {statusReason && <p class="reason">{statusReason}</p>}
        {status === "active" && reconnectBy && (
          <p class={endsSoon ? "reason" : "hint"}>
            {endsSoon ? "Connect it again: the" : "The"} connection ends {formatDay(reconnectBy, timeZone)} (
            {formatDistance(reconnectBy, now)}), because {getPlatformName(platform)} does not renew it.
          </p>
        )}
        <p>
          <a href={`/dashboard/${workspace.id}/accounts/${id}/slots`}>
            Weekly slots <span class="visually-hidden">of {username}</span>
          </a>
        </p>
      </div>
      {canManage && (
        <div class="row">
          {(status !== "active" || endsSoon) && (
            <form method="post" action={`/dashboard/${workspace.id}/accounts/connect`}>
              <input type="hidden" name="platform" value={platform} />
              <button type="submit" class="primary">
                Connect again
              </button>
            </form>
          )}
          {status !== "disconnected" && (
            <ActionForm
              action={`/dashboard/${workspace.id}/accounts/${id}/disconnect`}
              question={`Disconnect ${username}? Its scheduled posts wait until it is connected again.`}
              buttonClass="danger"
            >
              Disconnect
            </ActionForm>
          )}
        </div>
      )}
    </li>
  );
};

/** The page of the network, by way of a connect link for the person who is signed in. */
async function connect(c: PageContext): Promise<Response> {
  const form = await c.req.parseBody();
  const platform = PLATFORMS.find((one) => one === form.platform);
  if (!platform) throw new PageError(400, "Choose one of the networks.");
  const redirectUrl = `${c.var.origin}/dashboard/${c.var.workspace.id}/accounts`;
  const body = { platforms: [platform], redirect_url: redirectUrl };
  const { url } = await runOperation<{ url: string }>(c, createConnectLink, { body });
  return c.redirect(url, asksNothing(c, platform) ? 307 : 303);
}

/** The browser then sends its form on to the link, so that the network is the next page that a person sees. */
function asksNothing({ var: { services } }: PageContext, platform: Platform): boolean {
  const offers = listConnectOffers(services.env, []).filter((offer) => offer.platform === platform);
  return offers.length === 1 && drivers[platform].connectBy === "consent";
}

async function disconnect(c: PageContext): Promise<Response> {
  const accountId = c.req.param("accountId") ?? "";
  return redirectWithNotice(c, "accounts", async () => {
    await runOperation(c, disconnectAccount, { params: { accountId } });
    return "The account is disconnected. Posts that wait for it are kept.";
  });
}

export const accountPages: Page[] = [
  { id: "accounts.show", method: "GET", path: "/accounts", role: "viewer", handle: showAccounts },
  { id: "accounts.connect", method: "POST", path: "/accounts/connect", role: "admin", handle: connect },
  {
    id: "accounts.disconnect",
    method: "POST",
    path: "/accounts/:accountId/disconnect",
    role: "admin",
    handle: disconnect,
  },
];
