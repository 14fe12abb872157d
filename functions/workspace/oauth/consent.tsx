// The page on which a person lets a client application use a workspace. It works without a script.
import type { FC } from "hono/jsx";
import { type AuthorizationRequest, buildResponseAddress } from "../../../lib/oauth/authorization-request.ts";
import { GRANT_DAYS } from "../../../lib/oauth/issue-tokens.ts";
import { isLoopback } from "../../../lib/oauth/redirect-uris.ts";
import { PERMISSION_WORDS } from "../../../lib/shared/permission-words.ts";
import type { Permission } from "../../../lib/shared/permissions.ts";
import { describeAccount, type NamedAccount, PRESETS } from "../credential-words.ts";
import { Plain } from "../layout.tsx";
import type { Workspace } from "../page.ts";

interface ConsentProps {
  request: AuthorizationRequest;
  /** Of the authorization request. */
  query: URLSearchParams;
  issuer: string;
  person: { email: string };
  workspace: Workspace;
  /** The person may let others use these. */
  workspaces: readonly Workspace[];
  accounts: readonly NamedAccount[];
}

/** The presets of permissions that are ticked when the page opens, within those that the client asks for. */
const LABELS: Record<string, string> = { all: "Everything it asks for", read: "Read only", drafts: "Drafts only" };

export const Consent: FC<ConsentProps> = (props) => {
  const { request, query, issuer, person, workspace } = props;
  const { client, host, redirectUri } = request;
  const denied = { error: "access_denied", error_description: "The person did not consent." };
  return (
    <Plain title={`${client.name} asks for access`}>
      <h1>{client.name} asks for access</h1>
      <p>
        It is {isLoopback(redirectUri) ? "" : "at "}
        <strong>{host}</strong>. The name is its own: go on only if you have just started it yourself.
      </p>
      <WorkspaceChoice {...props} />
      <form method="post" action={toPath(query, {})} class="stack card">
        <input type="hidden" name="workspace" value={workspace.id} />
        <PermissionBoxes {...props} />
        <AccountBoxes {...props} />
        <p class="hint">
          Signed in as {person.email}. You can end this access at any time under Connected apps. It ends when it is not
          used for {GRANT_DAYS} days.
        </p>
        <div class="row">
          <button class="primary" type="submit">
            Allow
          </button>
          <a class="button" href={buildResponseAddress(request, issuer, denied)}>
            Cancel
          </a>
        </div>
      </form>
    </Plain>
  );
};

const WorkspaceChoice: FC<ConsentProps> = ({ query, workspace, workspaces }) =>
  workspaces.length < 2 ? (
    <p>
      It will use the workspace <strong>{workspace.name}</strong>
      {workspace.sandbox && ", in test mode, which publishes nothing"}.
    </p>
  ) : (
    <nav aria-label="Workspace">
      <p>Which workspace may it use?</p>
      <ul class="choices">
        {workspaces.map(({ id, name, role, sandbox }) => (
          <li>
            <a href={toPath(query, { workspace: id })} aria-current={id === workspace.id ? "true" : undefined}>
              <strong>{name}</strong>{" "}
              <small>
                {sandbox && "test mode: publishes nothing · "}
                {role}
              </small>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );

const PermissionBoxes: FC<ConsentProps> = ({ request, query, workspace }) => {
  const asked = query.get("preset") ?? "";
  const chosen = Object.hasOwn(LABELS, asked) ? asked : "all";
  const isTicked = (permission: Permission) => PRESETS[chosen]?.permissions?.includes(permission) ?? true;
  return (
    <fieldset>
      <legend>What it may do</legend>
      <ul class="presets">
        {Object.entries(LABELS).map(([preset, label]) => (
          <li>
            <a
              href={toPath(query, { workspace: workspace.id, preset })}
              aria-current={preset === chosen ? "true" : undefined}
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
      {request.permissions.map((permission) => (
        <label class="check">
          <input type="checkbox" name="permissions" value={permission} checked={isTicked(permission)} />{" "}
          <span>
            {PERMISSION_WORDS[permission]} <code>{permission}</code>
          </span>
        </label>
      ))}
    </fieldset>
  );
};

const AccountBoxes: FC<ConsentProps> = ({ accounts }) => (
  <fieldset>
    <legend>On which accounts</legend>
    {accounts.length === 0 && <p class="hint">This workspace has no accounts yet.</p>}
    {accounts.map((account) => (
      <label class="check">
        <input type="checkbox" name="accounts" value={account.id} checked /> {describeAccount(account)}
      </label>
    ))}
    <p class="hint">It sees no other account, and none that is connected later.</p>
  </fieldset>
);

/** The same request with other choices. */
function toPath(query: URLSearchParams, choices: Record<string, string>): string {
  const changed = new URLSearchParams(query);
  for (const name of ["workspace", "preset"]) changed.delete(name);
  for (const [name, value] of Object.entries(choices)) changed.set(name, value);
  return `?${changed}`;
}
