// API keys: create, see when each was last used, revoke, and rotate with a time in which both keys are valid.
import type { FC } from "hono/jsx";
import { v7 as newId } from "uuid";
import * as z from "zod";
import { findUnknownAccounts, listAccounts } from "../../../lib/queries/accounts.ts";
import { isRotated, listKeys, revokeWorkspaceKey, rotateWorkspaceKey } from "../../../lib/queries/key-management.ts";
import { createKeyToken, insertKey } from "../../../lib/queries/tenants.ts";
import { DAY_MS } from "../../../lib/shared/durations.ts";
import { KEY_ROLE, PERMISSIONS } from "../../../lib/shared/permissions.ts";
import {
  describeAccount,
  describeAccounts,
  describePermissions,
  type NamedAccount,
  PRESETS,
} from "../credential-words.ts";
import { formatDay, formatInstant } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import { addLastRequests, LastUse } from "../last-use.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { toList } from "../request-body.ts";
import { finishAction, openAudited, PageError } from "../session.ts";
import { getRealTime } from "../test-mode.ts";

const OVERLAP_MS = DAY_MS;
const LIFETIMES = { "30": "30 days", "90": "90 days", "365": "A year", never: "Never" } as const;

type Key = Awaited<ReturnType<typeof listKeys>>[number];

async function showKeys(c: PageContext): Promise<Response> {
  const { services, workspace, origin } = c.var;
  const [stored, accounts] = await Promise.all([
    listKeys(services.db, workspace.id),
    listAccounts(services.db, workspace.actor.scope, "all"),
  ]);
  const keys = await addLastRequests(services.redis, stored);
  return c.html(
    <Layout c={c} title="API keys" active="keys" scripts={["keys"]}>
      <p class="lead">
        A key lets a server use the API for this {workspace.isPersonal ? "person" : "workspace"}.{" "}
        <a href={`${origin}/docs`}>Open the reference</a>
      </p>
      <details class="card" open={keys.length === 0}>
        <summary>Create a key</summary>
        <CreateForm accounts={accounts} />
      </details>
      {keys.length === 0 ? (
        <Empty title="No keys yet">
          <p>Create one, and send it as the header Authorization: Bearer with every request.</p>
        </Empty>
      ) : (
        <ul class="records">
          {keys.map((key) => (
            <KeyRecord c={c} apiKey={key} accounts={accounts} />
          ))}
        </ul>
      )}
    </Layout>,
  );
}

const CreateForm: FC<{ accounts: NamedAccount[] }> = ({ accounts }) => (
  <form method="post" class="stack">
    <label for="name">Name</label>
    <input id="name" name="name" required maxlength={100} placeholder="Production server" autocomplete="off" />
    <label for="expires">Ends after</label>
    <select id="expires" name="expires">
      {Object.entries(LIFETIMES).map(([value, text]) => (
        <option value={value} selected={value === "365"}>
          {text}
        </option>
      ))}
    </select>
    <fieldset>
      <legend>Permissions</legend>
      {Object.entries(PRESETS).map(([value, { label }]) => (
        <label class="check">
          <input type="radio" name="access" value={value} checked={value === "all"} /> {label}
        </label>
      ))}
      <label class="check">
        <input type="radio" name="access" value="some" /> Only these
      </label>
      <div class="permissions" data-shown-by="access">
        {PERMISSIONS.map((permission) => (
          <label class="check">
            <input type="checkbox" name="permissions" value={permission} /> <code>{permission}</code>
          </label>
        ))}
      </div>
    </fieldset>
    <fieldset>
      <legend>Accounts</legend>
      <label class="check">
        <input type="radio" name="reach" value="all" checked /> All, also those that are connected later
      </label>
      <label class="check">
        <input type="radio" name="reach" value="some" disabled={accounts.length === 0} /> One account, or only these
      </label>
      <div class="permissions" data-shown-by="reach">
        {accounts.map((account) => (
          <label class="check">
            <input type="checkbox" name="accounts" value={account.id} /> {describeAccount(account)}
          </label>
        ))}
      </div>
    </fieldset>
    <button class="primary" type="submit">
      Create the key
    </button>
  </form>
);

const KeyRecord: FC<{ c: PageContext; apiKey: Key; accounts: NamedAccount[] }> = ({ c, apiKey, accounts }) => {
  const { timeZone, workspace } = c.var;
  const now = getRealTime(c);
  const { publicId, name, permissions, createdAt, lastUsedAt, lastOperation, expiresAt, revokedAt, rotatedAt } = apiKey;
  const hasEnded = expiresAt !== null && expiresAt <= now;
  const state = revokedAt ? "revoked" : hasEnded ? "ended" : "valid";
  const path = `/dashboard/${workspace.id}/keys/${publicId}`;
  return (
    <li class={`card record ${state}`}>
      <div>
        <h2>
          {name} <span class={`badge ${state}`}>{state}</span>
        </h2>
        <p class="hint">
          <code>{publicId}</code> · created {formatDay(createdAt, timeZone)} ·{" "}
          <LastUse c={c} lastUsedAt={lastUsedAt} lastOperation={lastOperation} />
          {revokedAt
            ? ` · revoked ${formatDay(revokedAt, timeZone)}`
            : expiresAt && ` · ${hasEnded ? "ended" : "ends"} ${formatInstant(expiresAt, timeZone)}`}
        </p>
        <p class="hint">{describePermissions(permissions)}</p>
        {apiKey.accountIds && <p class="hint">{describeAccounts(apiKey.accountIds, accounts)}</p>}
        <KeyAuthor apiKey={apiKey} />
        {lastUsedAt && (
          <p>
            <a href={`${path}/requests`}>
              Last requests<span class="visually-hidden"> of {name}</span>
            </a>
          </p>
        )}
      </div>
      {state === "valid" && (
        <div class="row">
          {!rotatedAt && (
            <ActionForm
              action={`${path}/rotate`}
              question={`Rotate ${name}? You get a new key; this one stays valid for 24 hours.`}
            >
              Rotate
            </ActionForm>
          )}
          <ActionForm
            action={`${path}/revoke`}
            question={`Revoke ${name}? Its next request gets 401. This cannot be undone.`}
            buttonClass="danger"
          >
            Revoke
          </ActionForm>
        </div>
      )}
    </li>
  );
};

/** A key goes on working when its author leaves, so the page says whose token it is. */
const KeyAuthor: FC<{ apiKey: Key }> = ({ apiKey: { creatorEmail, isByMember, revokedAt, rotatedAt } }) => {
  const hasLeft = creatorEmail !== null && !isByMember && !revokedAt;
  const parts = [
    creatorEmail ? `Made by ${creatorEmail}` : "Made by the operator of this service",
    ...(hasLeft ? ["who is no longer a member: revoke it, or rotate it"] : []),
  ];
  return (
    <p class={hasLeft ? "reason" : "hint"}>
      {parts.join(", ")}
      {rotatedAt && !revokedAt && " · rotated: its new key is in this list"}
    </p>
  );
};

const CreateKey = z.object({
  name: z.string().trim().min(1).max(100),
  expires: z.enum(Object.keys(LIFETIMES) as [keyof typeof LIFETIMES]),
  access: z.enum([...Object.keys(PRESETS), "some"]),
  permissions: toList(z.enum(PERMISSIONS)),
  reach: z.enum(["all", "some"]).default("all"),
  accounts: toList(z.guid()),
});

async function createKey(c: PageContext): Promise<Response> {
  const parsed = CreateKey.safeParse(await c.req.parseBody({ all: true }));
  if (!parsed.success) throw new PageError(400, "Give the key a name of at most 100 characters.");
  const { name, expires, access, permissions, reach, accounts } = parsed.data;
  if (access === "some" && permissions.length === 0) throw new PageError(400, "Choose at least one permission.");
  if (reach === "some" && accounts.length === 0) throw new PageError(400, "Choose at least one account.");
  const expiresAt = expires === "never" ? null : new Date(getRealTime(c).getTime() + Number(expires) * DAY_MS);
  const { workspace, session } = c.var;
  const { ownerId, workspaceId } = workspace.actor.scope;
  const unknown = await findUnknownAccounts(c.var.services.db, { ownerId, workspaceId }, accounts);
  if (unknown.length > 0) throw new PageError(400, "An account that you chose is not one of this workspace any more.");
  const token = await insertKey(
    openAudited(c, "keys.create"),
    { ownerId, workspaceId },
    {
      ...{ id: newId(), kind: workspace.sandbox ? "test" : "key", name, expiresAt, createdBy: session.person.id },
      permissions: access === "some" ? permissions : (PRESETS[access]?.permissions ?? null),
      accountIds: reach === "some" ? accounts : null,
    },
  );
  return finishAction(c, "keys", `${name} is created. Copy it now: it is not shown again.`, token);
}

async function revokeKey(c: PageContext): Promise<Response> {
  const { workspace } = c.var;
  const db = openAudited(c, "keys.revoke");
  const isRevoked = await revokeWorkspaceKey(db, workspace.id, c.req.param("publicId") ?? "", getRealTime(c));
  if (!isRevoked) throw new PageError(404, "There is no such valid key in this workspace.");
  return finishAction(c, "keys", "The key is revoked. Its next request gets 401.");
}

/** Of several rotations of one key, the first makes the new key; the others say that there is one. */
async function rotateKey(c: PageContext): Promise<Response> {
  const { services, workspace, session } = c.var;
  const now = getRealTime(c);
  const publicId = c.req.param("publicId") ?? "";
  const { token, ...stored } = createKeyToken(workspace.sandbox ? "test" : "key");
  const rotated = await rotateWorkspaceKey(openAudited(c, "keys.rotate"), workspace.id, publicId, {
    ...{ ...stored, id: newId(), createdBy: session.person.id, now },
    oldEndsAt: new Date(now.getTime() + OVERLAP_MS),
  });
  if (!rotated) {
    if (!(await isRotated(services.db, workspace.id, publicId)))
      throw new PageError(404, "There is no such valid key in this workspace.");
    throw new PageError(
      409,
      "This key was rotated before, and a key is rotated once. Its new key is in the list of API keys: if nobody copied it, rotate that one.",
    );
  }
  const text = `${rotated.name} is rotated. Copy the new key now: it is not shown again. The old one ends in 24 hours.`;
  return finishAction(c, "keys", text, token);
}

export const keyPages: Page[] = [
  { id: "keys.show", method: "GET", path: "/keys", role: KEY_ROLE, handle: showKeys },
  { id: "keys.create", method: "POST", path: "/keys", role: KEY_ROLE, handle: createKey },
  { id: "keys.revoke", method: "POST", path: "/keys/:publicId/revoke", role: KEY_ROLE, handle: revokeKey },
  { id: "keys.rotate", method: "POST", path: "/keys/:publicId/rotate", role: KEY_ROLE, handle: rotateKey },
];
