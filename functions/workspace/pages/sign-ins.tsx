// The part of the page of passkeys that lists the sessions of a person and ends one of them, or all.
import type { FC } from "hono/jsx";
import { deleteSignIn, deleteSignIns, type listSignIns } from "../../../lib/queries/sign-ins.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import { describeBrowser } from "../describe-browser.ts";
import { formatInstant } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import type { PageContext } from "../page.ts";
import { PageError, setNotice } from "../session.ts";

type SignIn = Awaited<ReturnType<typeof listSignIns>>[number];

export const SignIns: FC<{ c: PageContext; signIns: SignIn[]; ownToken: string | null }> = ({
  c,
  signIns,
  ownToken,
}) => (
  <section>
    <h2>Where you are signed in</h2>
    <ul class="records">
      {signIns.map(({ id, token, ipAddress, userAgent, createdAt, expiresAt }) => (
        <li class="card record">
          <div class="grow">
            <h3>
              {describeBrowser(userAgent)} {token === ownToken && <span class="badge">this browser</span>}
            </h3>
            <p class="hint">
              Since {formatInstant(createdAt, c.var.timeZone)}
              {ipAddress && ` · from ${ipAddress}`} · ends {formatInstant(expiresAt, c.var.timeZone)}
            </p>
          </div>
          {token !== ownToken && <ActionForm action={`/dashboard/passkeys/sign-ins/${id}/end`}>Sign out</ActionForm>}
        </li>
      ))}
    </ul>
    <ActionForm
      action="/dashboard/passkeys/sign-ins/end"
      question="Sign out everywhere, in this browser too? You can sign in again with a code or a passkey."
      buttonClass="danger"
    >
      Sign out everywhere
    </ActionForm>
  </section>
);

export async function endSignIn(c: PageContext): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const isEnded = isUuid(id) && (await deleteSignIn(c.var.services.db, c.var.session.person.id, id));
  if (!isEnded) throw new PageError(404, "There is no such sign-in: it may have ended.");
  setNotice(c, { kind: "done", text: "That browser is signed out." });
  return c.redirect("/dashboard/passkeys", 303);
}

export async function endSignIns(c: PageContext): Promise<Response> {
  await deleteSignIns(c.var.services.db, c.var.session.person.id);
  return c.redirect("/dashboard/sign-in", 303);
}
