// Members and invitations of a workspace.
import type { FC } from "hono/jsx";
import { v7 as newId } from "uuid";
import * as z from "zod";
import { consumeRateLimits } from "../../../lib/http/rate-limits.ts";
import { changeMemberRole, findRemovableMember } from "../../../lib/queries/member-access.ts";
import { inviteMember, listMembers, withdrawInvitation } from "../../../lib/queries/members.ts";
import { sendMail } from "../../../lib/services/mail.ts";
import { DAY_MS } from "../../../lib/shared/durations.ts";
import { formatDay, formatDistance } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import { Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { finishAction, hasRole, openAudited, PageError, requireId, setNotice } from "../session.ts";
import { describeEnded, removalPages, requireOtherMember } from "./member-removal.tsx";

const INVITATION_DAYS = 7;

const ASSIGNABLE = ["admin", "editor", "viewer"] as const;
const ROLE_WORDS = {
  owner: "Everything, and cannot be removed",
  admin: "Everything: accounts, keys, webhooks and members too",
  editor: "Writes and publishes posts",
  viewer: "Reads, changes nothing",
} as const;

async function showMembers(c: PageContext): Promise<Response> {
  const { services, workspace, now, timeZone } = c.var;
  const { people, invited } = await listMembers(services.db, workspace.id, now);
  const manages = hasRole(workspace.role, "admin") && !workspace.isPersonal;
  return c.html(
    <Layout c={c} title="Members" active="members">
      <ul class="records">
        {people.map((person) => (
          <MemberRecord c={c} person={person} manages={manages} />
        ))}
      </ul>
      {invited.length > 0 && (
        <section>
          <h2>Invited</h2>
          <ul class="records">
            {invited.map(({ id, email, role, expiresAt }) => (
              <li class="card record">
                <div class="grow">
                  <h3>{email}</h3>
                  <p class="hint">
                    {role} · until {formatDay(expiresAt, timeZone)}
                  </p>
                </div>
                {manages && (
                  <ActionForm action={`/dashboard/${workspace.id}/invitations/${id}/withdraw`}>Withdraw</ActionForm>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      {manages && (
        <section>
          <h2>Invite somebody</h2>
          <form method="post" class="stack card">
            <label for="email">Email address</label>
            <input id="email" name="email" type="email" required maxlength={254} autocomplete="off" />
            <fieldset>
              <legend>Role</legend>
              {ASSIGNABLE.map((role) => (
                <label class="check">
                  <input type="radio" name="role" value={role} checked={role === "editor"} /> {role}{" "}
                  <span class="hint">{ROLE_WORDS[role]}</span>
                </label>
              ))}
            </fieldset>
            <button class="primary" type="submit">
              Send the invitation
            </button>
          </form>
        </section>
      )}
    </Layout>,
  );
}

type Person = Awaited<ReturnType<typeof listMembers>>["people"][number];

const MemberRecord: FC<{ c: PageContext; person: Person; manages: boolean }> = ({ c, person, manages }) => {
  const { workspace, session, now } = c.var;
  const path = `/dashboard/${workspace.id}/members/${person.id}`;
  const isSelf = person.id === session.person.id;
  return (
    <li class="card record">
      <div class="grow">
        <h2>
          {person.name || person.email} {isSelf && <span class="badge">you</span>}
        </h2>
        <p class="hint">
          {person.email} · {ROLE_WORDS[person.role]}
          {person.lastSeenAt && ` · signed in ${formatDistance(new Date(person.lastSeenAt), now)}`}
        </p>
      </div>
      {manages && person.role !== "owner" && !isSelf ? (
        <div class="row">
          <form method="post" action={`${path}/role`} class="row">
            <label>
              <span class="visually-hidden">Role of {person.email}</span>
              <select name="role">
                {ASSIGNABLE.map((role) => (
                  <option value={role} selected={role === person.role}>
                    {role}
                  </option>
                ))}
              </select>
            </label>
            <button type="submit">Change</button>
          </form>
          <a class="button danger" href={`${path}/remove`}>
            Remove
          </a>
        </div>
      ) : (
        <span class="badge">{person.role}</span>
      )}
    </li>
  );
};

const Invitation = z.object({ email: z.email().max(254).toLowerCase(), role: z.enum(ASSIGNABLE) });

async function invite(c: PageContext): Promise<Response> {
  const { services, workspace, session, now, origin } = c.var;
  const parsed = Invitation.safeParse(await c.req.parseBody());
  if (!parsed.success) throw new PageError(400, "Enter an email address and choose a role.");
  if (workspace.isPersonal) throw new PageError(409, "Personal records have no members. Create a workspace for them.");
  const { error } = await consumeRateLimits(services.redis, ["invitations"], workspace.id, now, {});
  if (error) throw new PageError(429, "A workspace can send 50 invitations a day. Try again tomorrow.");
  const { email, role } = parsed.data;
  const invitation = await inviteMember(openAudited(c, "members.invite"), {
    id: newId(),
    workspaceId: workspace.id,
    email,
    role,
    invitedBy: session.person.id,
    expiresAt: new Date(now.getTime() + INVITATION_DAYS * DAY_MS),
  });
  if (!invitation) {
    setNotice(c, { kind: "problem", text: `${email} is a member already.` });
    return c.redirect(`/dashboard/${workspace.id}/members`, 303);
  }
  await sendMail(services, {
    to: email,
    subject: `${session.person.email} invites you to ${workspace.name}`,
    text: `${session.person.email} invites you to the workspace ${workspace.name} as ${role}.

Sign in with this address to accept, within ${INVITATION_DAYS} days:
${origin}/dashboard/sign-in?email=${encodeURIComponent(email)}`,
    idempotencyKey: `invitation/${invitation.id}/${now.getTime()}`,
  });
  return finishAction(c, "members", `The invitation to ${email} is sent.`);
}

async function withdraw(c: PageContext): Promise<Response> {
  const id = requireId(c, "invitationId", "invitation");
  if (!(await withdrawInvitation(openAudited(c, "members.withdraw"), c.var.workspace.id, id))) {
    throw new PageError(404, "There is no such invitation in this workspace.");
  }
  return finishAction(c, "members", "The invitation is withdrawn.");
}

async function changeRole(c: PageContext): Promise<Response> {
  const form = await c.req.parseBody();
  const role = ASSIGNABLE.find((one) => one === form.role);
  if (!role) throw new PageError(400, "Choose a role.");
  const ids = requireOtherMember(c);
  const ended = await changeMemberRole(openAudited(c, "members.change-role"), ids, { role, now: c.var.now });
  if (!ended) throw new PageError(404, "There is no such member in this workspace, or it is the owner.");
  const { keys = [] } = role === "admin" ? {} : ((await findRemovableMember(c.var.services.db, ids, c.var.now)) ?? {});
  const sentences = [
    `The role is ${role} now.`,
    ...describeEnded(ended),
    ...(keys.length > 0
      ? [
          `Keys that this person made still work: ${keys.map(({ name }) => name).join(", ")}. Revoke them under API keys.`,
        ]
      : []),
  ];
  return finishAction(c, "members", sentences.join(" "));
}

export const memberPages: Page[] = [
  { id: "members.show", method: "GET", path: "/members", role: "viewer", handle: showMembers },
  { id: "members.invite", method: "POST", path: "/members", role: "admin", handle: invite },
  {
    id: "members.withdraw",
    method: "POST",
    path: "/invitations/:invitationId/withdraw",
    role: "admin",
    handle: withdraw,
  },
  { id: "members.change-role", method: "POST", path: "/members/:memberId/role", role: "admin", handle: changeRole },
  ...removalPages,
];
