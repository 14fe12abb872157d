// Connected apps: which client applications use the workspace, by whose consent, what each did last, and the end of its access.
import type { FC } from "hono/jsx";
import { listAccounts } from "../../../lib/queries/accounts.ts";
import { endGrant, listGrants } from "../../../lib/queries/grants.ts";
import { KEY_ROLE } from "../../../lib/shared/permissions.ts";
import { describeAccounts, describePermissions, type NamedAccount } from "../credential-words.ts";
import { formatDay } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import { addLastRequests, LastUse } from "../last-use.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { finishAction, openAudited, PageError } from "../session.ts";
import { getRealTime } from "../test-mode.ts";

type Grant = Awaited<ReturnType<typeof listGrants>>[number];

async function showGrants(c: PageContext): Promise<Response> {
  const { services, workspace, origin } = c.var;
  const [stored, accounts] = await Promise.all([
    listGrants(services.db, workspace.id),
    listAccounts(services.db, workspace.actor.scope, "all"),
  ]);
  const grants = await addLastRequests(services.redis, stored);
  return c.html(
    <Layout c={c} title="Connected apps" active="grants">
      <p class="lead">
        Apps that an owner or admin let use this {workspace.isPersonal ? "person's records" : "workspace"}. An app asks
        for it itself. <a href={`${origin}/docs#oauth`}>How it works</a>
      </p>
      {grants.length === 0 ? (
        <Empty title="No connected apps">
          <p>An app, such as an agent, that asks for access appears here once you consent.</p>
        </Empty>
      ) : (
        <ul class="records">
          {grants.map((grant) => (
            <GrantRecord c={c} grant={grant} accounts={accounts} />
          ))}
        </ul>
      )}
    </Layout>,
  );
}

const RESOURCE_WORDS = { api: "the API", mcp: "tools for agents" } as const;

const GrantRecord: FC<{ c: PageContext; grant: Grant; accounts: NamedAccount[] }> = ({ c, grant, accounts }) => {
  const { timeZone, workspace } = c.var;
  const now = getRealTime(c);
  const { publicId, clientName, clientHost, createdAt, lastUsedAt, lastOperation, expiresAt, revokedAt } = grant;
  const hasEnded = expiresAt !== null && expiresAt <= now;
  const state = revokedAt ? "revoked" : hasEnded ? "ended" : "valid";
  return (
    <li class={`card record ${state}`}>
      <div>
        <h2>
          {clientName} <span class={`badge ${state}`}>{state}</span>
        </h2>
        <p class="hint">
          {clientHost && `${clientHost} · `}
          <code>{publicId}</code> · since {formatDay(createdAt, timeZone)} ·{" "}
          <LastUse c={c} lastUsedAt={lastUsedAt} lastOperation={lastOperation} />
          {revokedAt && ` · revoked ${formatDay(revokedAt, timeZone)}`}
          {!revokedAt &&
            expiresAt &&
            ` · ${hasEnded ? "ended" : "ends unless it is used before"} ${formatDay(expiresAt, timeZone)}`}
        </p>
        <p class="hint">
          {describePermissions(grant.permissions)}
          {grant.resource && ` · ${RESOURCE_WORDS[grant.resource]}`}
        </p>
        <p class="hint">{grant.accountIds ? describeAccounts(grant.accountIds, accounts) : "All accounts"}</p>
        <p class="hint">
          {grant.creatorEmail ? `Consent of ${grant.creatorEmail}` : "Made by the operator of this service"}
        </p>
      </div>
      {state === "valid" && (
        <ActionForm
          action={`/dashboard/${workspace.id}/grants/${publicId}/end`}
          question={`End the access of ${clientName}? Its next request gets 401. It can ask again.`}
          buttonClass="danger"
        >
          End access
        </ActionForm>
      )}
    </li>
  );
};

async function end(c: PageContext): Promise<Response> {
  const { workspace } = c.var;
  const db = openAudited(c, "grants.end");
  const isEnded = await endGrant(db, workspace.id, c.req.param("publicId") ?? "", getRealTime(c));
  if (!isEnded) throw new PageError(404, "There is no such app with access to this workspace.");
  return finishAction(c, "grants", "The access has ended. The next request of the app gets 401.");
}

export const grantPages: Page[] = [
  { id: "grants.show", method: "GET", path: "/grants", role: KEY_ROLE, handle: showGrants },
  { id: "grants.end", method: "POST", path: "/grants/:publicId/end", role: KEY_ROLE, handle: end },
];
