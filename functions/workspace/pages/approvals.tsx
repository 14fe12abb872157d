// Asks a person without an account for the approval of a draft, and shows the decision.
import type { FC } from "hono/jsx";
import type { listApprovalLinks } from "../../../lib/queries/approvals.ts";
import { DAY_SECONDS } from "../../../lib/shared/durations.ts";
import { toApiError } from "../../../lib/shared/errors.ts";
import type { PostStatus } from "../../../lib/shared/post-status.ts";
import createApproval from "../../approvals/create.ts";
import withdraw from "../../approvals/withdraw.ts";
import updatePost from "../../posts/update.ts";
import { formatDistance, formatInstant } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import type { Page, PageContext } from "../page.ts";
import { redirectWithNotice, runOperation } from "../run-operation.ts";
import { finishAction, hasRole, PageError, requireId, setNotice } from "../session.ts";

const LIFETIMES = { 1: "1 day", 3: "3 days", 7: "7 days", 30: "30 days" } as const;

type Link = NonNullable<Awaited<ReturnType<typeof listApprovalLinks>>>[number];

interface Props {
  c: PageContext;
  post: { id: string; status: PostStatus };
  links: Link[];
}

export const Approvals: FC<Props> = ({ c, post, links }) => {
  const { workspace } = c.var;
  const canAsk = post.status === "draft" && hasRole(workspace.role, "editor");
  const canTakeBack = post.status === "scheduled" && hasRole(workspace.role, "editor");
  if (!canAsk && !canTakeBack && links.length === 0) return null;
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
      {canTakeBack && (
        <div class="card row">
          <p class="hint">
            Somebody without an account can approve a draft. Made a draft again, this post goes out once it is approved.
          </p>
          <ActionForm action={`/dashboard/${workspace.id}/posts/${post.id}/draft`}>Make it a draft again</ActionForm>
        </div>
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

async function requestApproval(c: PageContext): Promise<Response> {
  const postId = requireId(c, "postId", "post");
  const { recipient, days } = await c.req.parseBody();
  if (!recipient || !(String(days) in LIFETIMES)) throw new PageError(400, "Say who is asked, and for how long.");
  try {
    const body = { recipient, expires_in: Number(days) * DAY_SECONDS };
    const { url } = await runOperation<{ url: string }>(c, createApproval, { params: { postId }, body });
    const text = `Send this link to ${recipient}. It works until it is answered, and is not shown again.`;
    return finishAction(c, `posts/${postId}`, text, url);
  } catch (error) {
    const known = toApiError(error);
    if (known?.code === "invalid_payload") throw new PageError(400, "Say who is asked, in at most 100 characters.");
    if (known?.code !== "post_not_draft") throw error;
    setNotice(c, { kind: "problem", text: known.message });
    return c.redirect(`/dashboard/${c.var.workspace.id}/posts/${postId}`, 303);
  }
}

/** Keeps the time for which the post was scheduled. */
async function makeDraft(c: PageContext): Promise<Response> {
  const postId = requireId(c, "postId", "post");
  return redirectWithNotice(c, `posts/${postId}`, async () => {
    await runOperation(c, updatePost, { params: { postId }, body: { draft: true } });
    return "The post is a draft again, and keeps its time. Ask for the approval below.";
  });
}

async function withdrawApproval(c: PageContext): Promise<Response> {
  const [postId, approvalId] = [requireId(c, "postId", "post"), requireId(c, "approvalId", "approval link")];
  await runOperation(c, withdraw, { params: { postId, approvalId } });
  return finishAction(c, `posts/${postId}`, "The link is withdrawn. It shows the post to nobody any more.");
}

export const approvalPages: Page[] = [
  { id: "posts.make-draft", method: "POST", path: "/posts/:postId/draft", role: "editor", handle: makeDraft },
  {
    id: "approvals.withdraw",
    method: "POST",
    path: "/posts/:postId/approvals/:approvalId/withdraw",
    role: "editor",
    handle: withdrawApproval,
  },
  { id: "approvals.create", method: "POST", path: "/posts/:postId/approvals", role: "editor", handle: requestApproval },
];
