// The passkeys and sessions of a person. Both belong to the person, not to a workspace.
import { deletePasskey, listPasskeys } from "../../../lib/queries/passkeys.ts";
import { listSignIns } from "../../../lib/queries/sign-ins.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import { MAX_NAME_LENGTH } from "../auth-operations.ts";
import { formatDay } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import { NoticeBox, Plain } from "../layout.tsx";
import type { PageContext } from "../page.ts";
import { PageError, readSessionToken, setNotice, takeNotice } from "../session.ts";
import { SignIns } from "./sign-ins.tsx";

export async function showPasskeys(c: PageContext): Promise<Response> {
  const { services, session, timeZone, now } = c.var;
  const [keys, signIns] = await services.db.batch([
    listPasskeys(services.db, session.person.id),
    listSignIns(services.db, session.person.id, now),
  ]);
  const notice = takeNotice(c);
  return c.html(
    <Plain title="Security" scripts={["passkeys"]}>
      <h1>Security</h1>
      {notice && <NoticeBox notice={notice} />}
      <h2>Passkeys</h2>
      <p class="lead">
        With a passkey you sign in as {session.person.email} by your fingerprint, face or device PIN. The code by email
        keeps working.
      </p>
      {keys.length > 0 && (
        <ul class="records">
          {keys.map(({ id, name, createdAt, backedUp }) => (
            <li class="card record">
              <div>
                <h3>{name ?? "Passkey"}</h3>
                <p class="hint">
                  Added {formatDay(createdAt, timeZone)} · {backedUp ? "synced between devices" : "on one device only"}
                </p>
              </div>
              <ActionForm
                action={`/dashboard/passkeys/${id}/remove`}
                question={`Remove ${name ?? "this passkey"}? It can no longer sign in.`}
              >
                Remove
              </ActionForm>
            </li>
          ))}
        </ul>
      )}
      <form id="passkey-form" class="stack" method="post">
        <label for="name">Name of the new passkey</label>
        <input id="name" name="name" required maxlength={MAX_NAME_LENGTH} placeholder="My phone" autocomplete="off" />
        <button class="primary" type="submit">
          Add a passkey
        </button>
      </form>
      <p id="problem" role="alert" class="problem" hidden />
      <noscript>
        <p class="problem">Adding a passkey needs JavaScript.</p>
      </noscript>
      <SignIns c={c} signIns={signIns} ownToken={await readSessionToken(c)} />
      <p>
        <a href="/dashboard">To the dashboard</a>
      </p>
    </Plain>,
  );
}

export async function removePasskey(c: PageContext): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const isRemoved = isUuid(id) && (await deletePasskey(c.var.services.db, c.var.session.person.id, id));
  if (!isRemoved) throw new PageError(404, "There is no such passkey.");
  setNotice(c, { kind: "done", text: "The passkey is removed." });
  return c.redirect("/dashboard/passkeys", 303);
}
