// Links with which a person outside of the workspace connects accounts: made, listed while they can be opened, and withdrawn.
import type { FC } from "hono/jsx";
import type { listOpenConnectLinks } from "../../../lib/queries/connect-links.ts";
import { DAY_SECONDS } from "../../../lib/shared/durations.ts";
import { PLATFORMS } from "../../../lib/shared/platforms.ts";
import createConnectLink from "../../accounts/create-connect-link.ts";
import deleteConnectLink from "../../accounts/delete-connect-link.ts";
import { formatDistance, formatInstant, getPlatformName } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import type { Page, PageContext } from "../page.ts";
import { redirectWithNotice, runOperation } from "../run-operation.ts";
import { finishAction, PageError } from "../session.ts";

type OpenLink = Awaited<ReturnType<typeof listOpenConnectLinks>>[number];

/** Days after which a link ends -> its words. */
const LIFETIMES = { "1": "A day", "7": "7 days", "30": "30 days" } as const;

export const ConnectLinks: FC<{ c: PageContext; links: OpenLink[] }> = ({ c, links }) => {
  const base = `/dashboard/${c.var.workspace.id}/connect-links`;
  return (
    <section id="connect-links">
      <h2>Let somebody else connect</h2>
      <p class="hint">
        A client opens the link without an account here, signs in at the network, and the account appears above. The
        link shows nothing else of this workspace.
      </p>
      {links.length > 0 && (
        <ul class="records">
          {links.map((link) => (
            <LinkRecord c={c} link={link} />
          ))}
        </ul>
      )}
      <details class="card">
        <summary>Make a connect link</summary>
        <form method="post" action={base} class="stack">
          <label for="label">For whom</label>
          <input id="label" name="label" required maxlength={80} placeholder="Lofoten Knitwear" autocomplete="off" />
          <label for="link-days">Ends after</label>
          <select id="link-days" name="days">
            {Object.entries(LIFETIMES).map(([value, text]) => (
              <option value={value} selected={value === "7"}>
                {text}
              </option>
            ))}
          </select>
          <label for="link-platform">Network</label>
          <select id="link-platform" name="platform">
            <option value="">Any, and several accounts</option>
            {PLATFORMS.map((platform) => (
              <option value={platform}>{getPlatformName(platform)}</option>
            ))}
          </select>
          <button type="submit" class="primary">
            Make the link
          </button>
        </form>
      </details>
    </section>
  );
};

const LinkRecord: FC<{ c: PageContext; link: OpenLink }> = ({ c, link }) => {
  const { workspace, timeZone, now } = c.var;
  const { id, label, platforms, expiresAt, createdAt, accounts } = link;
  const connected = accounts.map(({ platform, username }) => `${getPlatformName(platform)} ${username}`).join(", ");
  return (
    <li class="card record">
      <div class="grow">
        <h3>{label ?? "Without a name"}</h3>
        <p class="hint">
          {platforms ? platforms.map(getPlatformName).join(", ") : "Any network"} · made{" "}
          {formatDistance(createdAt, now)} · ends {formatInstant(expiresAt, timeZone)} ·{" "}
          {connected ? `connected ${connected}` : "nothing connected yet"}
        </p>
      </div>
      <ActionForm
        action={`/dashboard/${workspace.id}/connect-links/${id}/withdraw`}
        question={`Withdraw the link${label ? ` for ${label}` : ""}? Accounts that it connected stay.`}
        buttonClass="danger"
      >
        Withdraw
      </ActionForm>
    </li>
  );
};

async function makeLink(c: PageContext): Promise<Response> {
  const form = await c.req.parseBody();
  const label = String(form.label ?? "").trim();
  if (label === "" || label.length > 80) throw new PageError(400, "Say in at most 80 characters whom the link is for.");
  const days = Object.keys(LIFETIMES).find((one) => one === form.days);
  if (!days) throw new PageError(400, "Choose after how many days the link ends.");
  const platform = PLATFORMS.find((one) => one === form.platform);
  const body = { label, expires_in: Number(days) * DAY_SECONDS, ...(platform ? { platforms: [platform] } : {}) };
  const { url } = await runOperation<{ url: string }>(c, createConnectLink, { body });
  return finishAction(c, "accounts", `The link for ${label} is made. Copy it now: it is not shown again.`, url);
}

async function withdrawLink(c: PageContext): Promise<Response> {
  const linkId = c.req.param("linkId") ?? "";
  return redirectWithNotice(c, "accounts", async () => {
    await runOperation(c, deleteConnectLink, { params: { linkId } });
    return "The link is withdrawn. Accounts that it connected stay.";
  });
}

export const connectLinkActions: Page[] = [
  { id: "connect-links.create", method: "POST", path: "/connect-links", role: "admin", handle: makeLink },
  {
    id: "connect-links.withdraw",
    method: "POST",
    path: "/connect-links/:linkId/withdraw",
    role: "admin",
    handle: withdrawLink,
  },
];
