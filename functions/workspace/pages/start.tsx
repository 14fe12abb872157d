// The first page after signing in: invitations, and the workspaces of the person. With one workspace it leads there.
import { deleteOwnInvitation, insertInvitedMember } from "../../../lib/queries/members.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import { ActionForm } from "../forms.tsx";
import { Plain } from "../layout.tsx";
import type { PageContext } from "../page.ts";
import { openAudited, PageError, setNotice } from "../session.ts";

export function showStart(c: PageContext): Response | Promise<Response> {
  const { person, workspaces, invitations } = c.var.session;
  const [only] = workspaces;
  if (only && workspaces.length === 1 && invitations.length === 0) return c.redirect(`/dashboard/${only.id}/queue`);
  return c.html(
    <Plain title="Workspaces">
      <h1>Hello {person.name || person.email}</h1>
      {invitations.map(({ id, role, workspace }) => (
        <section class="card">
          <p>
            You are invited to <strong>{workspace}</strong> as {role}.
          </p>
          <div class="row">
            <ActionForm action={`/dashboard/invitations/${id}/accept`} buttonClass="primary">
              Accept
            </ActionForm>
            <ActionForm action={`/dashboard/invitations/${id}/decline`}>Decline</ActionForm>
          </div>
        </section>
      ))}
      {workspaces.length > 0 && (
        <>
          <h2>Your workspaces</h2>
          <ul class="choices">
            {workspaces.map(({ id, name, role }) => (
              <li>
                <a href={`/dashboard/${id}/queue`}>
                  <strong>{name}</strong> <small>{role}</small>
                </a>
              </li>
            ))}
          </ul>
          <p class="hint">For another client, ask the people who run this service for another workspace.</p>
        </>
      )}
      {workspaces.length + invitations.length === 0 && (
        <p>You are not a member of any workspace. Ask the person who manages it to invite {person.email}.</p>
      )}
      <form method="post" data-sign-out>
        <button class="link" type="submit">
          Sign out
        </button>
      </form>
    </Plain>,
  );
}

export async function acceptInvitation(c: PageContext): Promise<Response> {
  const db = openAudited(c, "members.accept");
  const accepted = await insertInvitedMember(db, readInvitationId(c), c.var.session.person, c.var.now);
  if (!accepted) throw new PageError(404, "This invitation has ended, or is for another address.");
  setNotice(c, { kind: "done", text: "Welcome. You are a member of this workspace now." });
  return c.redirect(`/dashboard/${accepted.workspaceId}/queue`, 303);
}

export async function declineInvitation(c: PageContext): Promise<Response> {
  const db = openAudited(c, "members.decline");
  const declined = await deleteOwnInvitation(db, readInvitationId(c), c.var.session.person.email);
  if (!declined) throw new PageError(404, "This invitation has ended, or is for another address.");
  return c.redirect("/dashboard", 303);
}

function readInvitationId(c: PageContext): string {
  const id = c.req.param("id") ?? "";
  if (!isUuid(id)) throw new PageError(404, "There is no such invitation.");
  return id;
}
