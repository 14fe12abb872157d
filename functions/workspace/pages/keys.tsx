// API keys: create, see when each was last used, revoke, and rotate with a time in which both keys are valid.
import type { FC } from "hono/jsx";
import { v7 as newId } from "uuid";
import * as z from "zod";
import { isRotated, listKeys, revokeWorkspaceKey, rotateWorkspaceKey } from "../../../lib/queries/key-management.ts";
import { createKeyToken, insertKey } from "../../../lib/queries/tenants.ts";
import { PERMISSIONS } from "../../../lib/shared/permissions.ts";
import { formatDay, formatDistance, formatInstant } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { finishAction, openAudited, PageError } from "../session.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const OVERLAP_MS = DAY_MS;
const LIFETIMES = { "30": "30 days", "90": "90 days", "365": "A year", never: "Never" } as const;

type Key = Awaited<ReturnType<typeof listKeys>>[number];

async function showKeys(c: PageContext): Promise<Response> {
  const { services, workspace, origin } = c.var;
  const keys = await listKeys(services.db, workspace.id);
  return c.html(
    <Layout c={c} title="API keys" active="keys" scripts={["keys"]}>
      <p class="lead">
        A key lets a server use the API for this {workspace.isPersonal ? "person" : "workspace"}.{" "}
        <a href={`${origin}/docs`}>Open the reference</a>
      </p>
      <details class="card" open={keys.length === 0}>
        <summary>Create a key</summary>
        <CreateForm />
      </details>
      {keys.length === 0 ? (
        <Empty title="No keys yet">
          <p>Create one, and send it as the header Authorization: Bearer with every request.</p>
        </Empty>
      ) : (
        <ul class="records">
          {keys.map((key) => (
            <KeyRecord c={c} apiKey={key} />
          ))}
        </ul>
      )}
    </Layout>,
  );
}

const CreateForm: FC = () => (
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
      <label class="check">
        <input type="radio" name="access" value="all" checked /> Everything
      </label>
      <label class="check">
        <input type="radio" name="access" value="some" /> Only these
      </label>
      <div class="permissions" id="permissions">
        {PERMISSIONS.map((permission) => (
          <label class="check">
            <input type="checkbox" name="permissions" value={permission} /> <code>{permission}</code>
          </label>
        ))}
      </div>
    </fieldset>
    <button class="primary" type="submit">
      Create the key
    </button>
  </form>
);

const KeyRecord: FC<{ c: PageContext; apiKey: Key }> = ({ c, apiKey }) => {
  const { now, timeZone, workspace } = c.var;
  const { publicId, name, permissions, createdAt, lastUsedAt, expiresAt, revokedAt, rotatedAt } = apiKey;
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
          {lastUsedAt ? (
            <span title={formatInstant(lastUsedAt, timeZone)}>last used {formatDistance(lastUsedAt, now)}</span>
          ) : (
            "never used"
          )}
          {revokedAt
            ? ` · revoked ${formatDay(revokedAt, timeZone)}`
            : expiresAt && ` · ${hasEnded ? "ended" : "ends"} ${formatInstant(expiresAt, timeZone)}`}
        </p>
        <p class="hint">{permissions ? permissions.join(", ") : "All permissions"}</p>
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
  access: z.enum(["all", "some"]),
  permissions: z.union([z.array(z.enum(PERMISSIONS)), z.enum(PERMISSIONS).transform((one) => [one])]).optional(),
});

async function createKey(c: PageContext): Promise<Response> {
  const parsed = CreateKey.safeParse(await c.req.parseBody({ all: true }));
  if (!parsed.success) throw new PageError(400, "Give the key a name of at most 100 characters.");
  const { name, expires, access, permissions } = parsed.data;
  if (access === "some" && !permissions) throw new PageError(400, "Choose at least one permission.");
  const expiresAt = expires === "never" ? null : new Date(c.var.now.getTime() + Number(expires) * DAY_MS);
  const { workspace, session } = c.var;
  const { ownerId, workspaceId } = workspace.actor.scope;
  const token = await insertKey(
    openAudited(c, "keys.create"),
    { ownerId, workspaceId },
    {
      ...{ id: newId(), kind: "key", name, expiresAt, createdBy: session.person.id },
      permissions: access === "some" ? (permissions ?? []) : null,
    },
  );
  return finishAction(c, "keys", `${name} is created. Copy it now: it is not shown again.`, token);
}

async function revokeKey(c: PageContext): Promise<Response> {
  const { workspace, now } = c.var;
  const db = openAudited(c, "keys.revoke");
  const isRevoked = await revokeWorkspaceKey(db, workspace.id, c.req.param("publicId") ?? "", now);
  if (!isRevoked) throw new PageError(404, "There is no such valid key in this workspace.");
  return finishAction(c, "keys", "The key is revoked. Its next request gets 401.");
}

/** Of several rotations of one key, the first makes the new key; the others say that there is one. */
async function rotateKey(c: PageContext): Promise<Response> {
  const { services, workspace, session, now } = c.var;
  const publicId = c.req.param("publicId") ?? "";
  const { token, ...stored } = createKeyToken("key");
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
  { id: "keys.show", method: "GET", path: "/keys", role: "admin", handle: showKeys },
  { id: "keys.create", method: "POST", path: "/keys", role: "admin", handle: createKey },
  { id: "keys.revoke", method: "POST", path: "/keys/:publicId/revoke", role: "admin", handle: revokeKey },
  { id: "keys.rotate", method: "POST", path: "/keys/:publicId/rotate", role: "admin", handle: rotateKey },
];
