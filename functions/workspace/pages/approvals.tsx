// Asks a person without an account for the approval of a draft, and shows the decision.
import type { FC } from "hono/jsx";
import * as z from "zod";
import { createApprovalLink } from "../../../lib/publishing/approval-links.ts";
import { type listApprovalLinks, withdrawApprovalLink } from "../../../lib/queries/approvals.ts";
import { toApiError } from "../../../lib/shared/errors.ts";
import type { PostStatus } from "../../../lib/shared/post-status.ts";
import { toSingleLine } from "../../../lib/shared/single-line.ts";
import { formatDistance, formatInstant } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import type { Page, PageContext } from "../page.ts";
import { finishAction, hasRole, openAudited, PageError, requireId, setNotice } from "../session.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const LIFETIMES = { 1: "1 day", 3: "3 days", 7: "7 days", 30: "30 days" } as const;

type Link = Awaited<ReturnType<typeof listApprovalLinks>>[number];

interface Props {
  c: PageContext;
  post: { id: string; status: PostStatus };
  links: Link[];
}

export const Approvals: FC<Props> = ({ c, post, links }) => {
  const { workspace } = c.var;
  const canAsk = post.status === "draft" && hasRole(workspace.role, "editor");
  if (!canAsk && links.length === 0) return null;
  return (
    <section>
      <h2>Approval</h2>
      {links.length > 0 && (
        <ul class="trace">
          {links.map((link) => (
            <ApprovalState c={c} postId={post.id} link={link} />
          ))}
        </ul>
      )}
      {canAsk && (
        <form class="card stack" method="post" action={`/dashboard/${workspace.id}/posts/${post.id}/approvals`}>
          <label for="recipient">Who is asked</label>
          <input id="recipient" name="recipient" required maxlength={100} placeholder="Ann at Harbour View" />
          <label for="days">The link is valid for</label>
          <select id="days" name="days">
            {Object.entries(LIFETIMES).map(([days, text]) => (
              <option value={days} selected={days === "7"}>
                {text}
              </option>
            ))}
          </select>
          <button type="submit">Get a link</button>
        </form>
      )}
    </section>
  );
};

const ApprovalState: FC<{ c: PageContext; postId: string; link: Link }> = ({ c, postId, link }) => {
  const { now, timeZone, workspace } = c.var;
  const { id, recipient, decision, comment, decidedAt, withdrawnAt, expiresAt, createdAt } = link;
  const at = decidedAt ?? withdrawnAt ?? createdAt;
  const isOpen = decision === null && withdrawnAt === null && expiresAt > now;
  return (
    <li>
      <time datetime={at.toISOString()}>{formatInstant(at, timeZone)}</time>
      <span>
        <strong>{recipient}</strong> {describeState(link, now)}
        {comment && <q class="reason">{comment}</q>}
      </span>
      {isOpen && hasRole(workspace.role, "editor") && (
        <ActionForm
          action={`/dashboard/${workspace.id}/posts/${postId}/approvals/${id}/withdraw`}
          question={`Withdraw the link for ${recipient}? It stops working at once.`}
        >
          Withdraw
        </ActionForm>
      )}
    </li>
  );
};

function describeState({ decision, withdrawnAt, expiresAt }: Link, now: Date): string {
  if (decision) return decision === "approved" ? "approved it" : "commented";
  if (withdrawnAt) return "was asked; the link is withdrawn";
  return expiresAt > now ? `was asked; the link ends ${formatDistance(expiresAt, now)}` : "did not answer in time";
}

const Request = z.object({
  /** In subjects of mails too. */
  recipient: z.string().max(1000).transform(toSingleLine).pipe(z.string().min(1).max(100)),
  days: z.enum(Object.keys(LIFETIMES) as [string, ...string[]]),
});

async function requestApproval(c: PageContext): Promise<Response> {
  const { services, workspace, session, now, origin } = c.var;
  const postId = requireId(c, "postId", "post");
  const parsed = Request.safeParse(await c.req.parseBody());
  if (!parsed.success) throw new PageError(400, "Say who is asked, in at most 100 characters, and for how long.");
  const { recipient, days } = parsed.data;
  try {
    const path = await createApprovalLink(services, openAudited(c, "approvals.create"), workspace.actor.scope, {
      ...{ postId, recipient, createdBy: session.person.id },
      expiresAt: new Date(now.getTime() + Number(days) * DAY_MS),
    });
    services.enqueueWebhooks({ scopeIds: [workspace.id] }, 0);
    const text = `Send this link to ${recipient}. It works once, and is not shown again.`;
    return finishAction(c, `posts/${postId}`, text, `${origin}${path}`);
  } catch (error) {
    const known = toApiError(error);
    if (known?.code !== "post_not_draft") throw error;
    setNotice(c, { kind: "problem", text: known.message });
    return c.redirect(`/dashboard/${workspace.id}/posts/${postId}`, 303);
  }
}

async function withdrawApproval(c: PageContext): Promise<Response> {
  const { workspace, now } = c.var;
  const [postId, id] = [requireId(c, "postId", "post"), requireId(c, "approvalId", "approval link")];
  const db = openAudited(c, "approvals.withdraw");
  if (!(await withdrawApprovalLink(db, workspace.id, { id, postId, now }))) {
    throw new PageError(404, "There is no such open link for this post: it may have been used, or withdrawn before.");
  }
  return finishAction(c, `posts/${postId}`, "The link is withdrawn. It shows the post to nobody any more.");
}

export const approvalPages: Page[] = [
  {
    id: "approvals.withdraw",
    method: "POST",
    path: "/posts/:postId/approvals/:approvalId/withdraw",
    role: "editor",
    handle: withdrawApproval,
  },
  { id: "approvals.create", method: "POST", path: "/posts/:postId/approvals", role: "editor", handle: requestApproval },
];
