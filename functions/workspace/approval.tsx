// The page of an approval link: what goes out on each network, and two buttons. It needs no account and no script.
import type { FC } from "hono/jsx";
import * as z from "zod";
import { execute } from "../../lib/http/execute.ts";
import { findApprovalLink, getApprovalStatus } from "../../lib/publishing/approval-links.ts";
import { type ApprovalLink, saveApprovalComment } from "../../lib/queries/approvals.ts";
import { findQueuedPost } from "../../lib/queries/queue.ts";
import { openAuditedDatabase } from "../../lib/services/database.ts";
import { sendMail } from "../../lib/services/mail.ts";
import type { LinkActor } from "../../lib/shared/actor.ts";
import { apiError, toApiError } from "../../lib/shared/errors.ts";
import { toSingleLine } from "../../lib/shared/single-line.ts";
import approvePost from "../approvals/approve.ts";
import { formatInstant } from "./format.ts";
import { Plain } from "./layout.tsx";
import type { PageContext } from "./page.ts";
import { Previews } from "./preview.tsx";
import { enterTestMode } from "./test-mode.ts";

type Link = ApprovalLink;

const OUTCOMES = {
  approved: ["Approved", "Thank you. The post goes out as you saw it."],
  commented: ["Sent", "Thank you. Your comment was sent, and the post is not published as it is."],
  expired: ["This link has ended", "Ask the person who sent it for a new one."],
  changed: ["The post has changed", "It is not the one that this link was made for. Ask for a new link."],
} as const;

export async function showApproval(c: PageContext): Promise<Response> {
  const link = await requireLink(c);
  const status = getApprovalStatus(link, c.var.now);
  if (status !== "open") return sendOutcome(c, status);
  const found = await findQueuedPost(c.var.services.db, link.scopeId, link.postId);
  if (found?.post.status !== "draft") return sendOutcome(c, "changed");
  const { post } = found;
  return c.html(
    <Plain title={`A post of ${link.sender}`}>
      <h1>Does this go out?</h1>
      <p>
        <strong>{link.sender}</strong> asks {link.recipient} to approve this post.{" "}
        {post.scheduledAt ? (
          <>
            It goes out on <ReaderTime at={post.scheduledAt} timeZone={link.timeZone} />.
          </>
        ) : (
          "It goes out as soon as you approve it."
        )}
      </p>
      {link.message && <p class="reason">{link.message}</p>}
      <Previews post={post} />
      <form method="post" class="decide">
        <button class="primary" type="submit" name="decision" value="approve">
          Approve
        </button>
      </form>
      <CommentForm />
      <p class="hint">
        This link works until you answer, or until <ReaderTime at={link.expiresAt} timeZone={link.timeZone} />.
      </p>
    </Plain>,
  );
}

/** In the zone of the workspace, until the script of the page writes it in that of the reader. */
const ReaderTime: FC<{ at: Date; timeZone: string }> = ({ at, timeZone }) => (
  <time datetime={at.toISOString()} data-local>
    {formatInstant(at, timeZone)} ({timeZone})
  </time>
);

/** The way to say no: the comment begins with it, so that its reader knows without a state of its own. */
const REJECTED = "Changes requested";

const CommentForm: FC = () => (
  <details class="card">
    <summary>No, something has to change</summary>
    <form method="post" class="stack wide">
      <label for="comment">What has to change</label>
      <textarea id="comment" name="comment" rows={4} maxlength={MAX_COMMENT} required />
      <p class="row">
        <button type="submit" name="decision" value="reject" class="danger">
          Reject the post
        </button>
        <button type="submit" name="decision" value="comment">
          Send a comment
        </button>
      </p>
      <p class="hint">
        Either way the post is not published as it is, the link ends, and you get another link for the changed post.
      </p>
    </form>
  </details>
);

const MAX_COMMENT = 2000;

const Decision = z.discriminatedUnion("decision", [
  z.object({ decision: z.literal("approve") }),
  z.object({ decision: z.enum(["comment", "reject"]), comment: z.string().trim().min(1).max(MAX_COMMENT) }),
]);

/** The text for the creator; null for an approval. */
function toComment(decision: z.output<typeof Decision>): string | null {
  if (decision.decision === "approve") return null;
  return decision.decision === "reject" ? `${REJECTED}: ${decision.comment}` : decision.comment;
}

export async function decideApproval(c: PageContext): Promise<Response> {
  const link = await requireLink(c);
  const status = getApprovalStatus(link, c.var.now);
  if (status !== "open") return sendOutcome(c, status);
  const parsed = Decision.safeParse(await c.req.parseBody());
  if (!parsed.success) throw apiError("validation_failed", "Approve the post, or write what has to change.");
  const comment = toComment(parsed.data);
  const { services, now } = c.var;
  if (comment === null) {
    const failure = await approve(c, link);
    if (failure) return failure;
  } else {
    const isSaved = await saveApprovalComment(openAudited(c, link, "approvals.comment"), link.id, { comment, now });
    if (!isSaved) return showApproval(c);
    services.enqueueWebhooks({ scopeIds: [link.scopeId] }, 0);
  }
  // The decision stands whether or not the mail about it is sent.
  services.waitUntil(notifyCreator(c, link, comment));
  return c.redirect(c.req.path, 303);
}

/** Publishes the plan that the person saw. If that fails the link stays open, and the page says why. */
async function approve(c: PageContext, link: Link): Promise<Response | null> {
  const { origin, requestId } = c.var;
  const input = { params: { postId: link.postId, approvalId: link.id } };
  const executionCtx = c.executionCtx as ExecutionContext;
  try {
    await execute(approvePost, toActor(link), input, { env: c.env, executionCtx, origin, requestId });
    return null;
  } catch (error) {
    const code = toApiError(error)?.code;
    if (code === "approval_ended") return showApproval(c);
    if (code === "plan_changed" || code === "post_not_draft" || code === "not_found") return sendOutcome(c, "changed");
    throw error;
  }
}

function toActor(link: Link): LinkActor {
  const { id, recipient, ownerId, workspaceId, scopeId, sandbox, tier, subscription, paidUntil } = link;
  const scope = { id: scopeId, ownerId, workspaceId, ...(sandbox ? { sandbox } : {}) };
  const plan = { tier, subscription, paidUntil };
  return { kind: "link", id, recipient, scope, permissions: ["posts:approve"], plan };
}

function openAudited(c: PageContext, { id, recipient }: Link, action: string) {
  const { env, requestId } = c.var.services;
  return openAuditedDatabase(env, requestId, { actor: { kind: "link", id, name: recipient }, action });
}

async function notifyCreator(c: PageContext, link: Link, comment: string | null): Promise<void> {
  const { origin, services } = c.var;
  // Test mode sends no mail.
  if (!link.creatorEmail || services.sandbox) return;
  await sendMail(services, {
    to: link.creatorEmail,
    subject: comment === null ? `${link.recipient} approved a post` : `${link.recipient} wants a post changed`,
    text: `${comment === null ? "The post goes out as it was prepared." : quoteComment(link.recipient, comment)}

${origin}/dashboard/${link.scopeId}/posts/${link.postId}`,
    idempotencyKey: `approval/${link.id}`,
  });
}

/** Whoever holds the link wrote it, so that no line of it may look like ours. */
function quoteComment(recipient: string, comment: string): string {
  const lines = comment.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).map((line) => `> ${toSingleLine(line)}`.trimEnd());
  return `The person who opened the link for "${recipient}" wrote:

${lines.join("\n")}

These are their words, not ours. Open links in them only if you know where they lead. The post:`;
}

async function requireLink(c: PageContext): Promise<Link> {
  const link = await findApprovalLink(c.var.services.db, c.req.param("token") ?? "");
  if (!link) throw apiError("not_found", "This link is not known. Check that the address is complete.");
  if (link.sandbox) enterTestMode(c, link.sandbox);
  return link;
}

function sendOutcome(c: PageContext, outcome: keyof typeof OUTCOMES): Response | Promise<Response> {
  const [title, text] = OUTCOMES[outcome];
  const status = outcome === "expired" ? 410 : outcome === "changed" ? 409 : 200;
  return c.html(
    <Plain title={title}>
      <h1>{title}</h1>
      <p>{text}</p>
    </Plain>,
    status,
  );
}
