// What a person does about a post that is out: take it down, or change its text, on each account that allows it.
import type { FC } from "hono/jsx";
import type * as z from "zod";
import { TAKEDOWNS } from "../../../lib/platforms/takedown.ts";
import { OUT } from "../../../lib/queries/published-deliveries.ts";
import { findQueuedPost, type QueuedDelivery, type QueuedPost } from "../../../lib/queries/queue.ts";
import { readAll } from "../../../lib/queries/read.ts";
import type { PostUnpublished, PublishedEdited } from "../../../lib/schemas/post-changes.ts";
import { toApiError } from "../../../lib/shared/errors.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import editPublished from "../../posts/edit-published.ts";
import unpublishPost from "../../posts/unpublish.ts";
import { getPlatformName } from "../format.ts";
import type { Page, PageContext } from "../page.ts";
import { PlatformMark } from "../platform-mark.tsx";
import { runOperation } from "../run-operation.ts";
import { PageError, setNotice } from "../session.ts";

const isOut = ({ status }: QueuedDelivery) => OUT.some((one) => one === status);
const getTakedown = ({ platform }: QueuedDelivery) => TAKEDOWNS[platform];
const canRemove = (delivery: QueuedDelivery) => delivery.accountType === "byo" && getTakedown(delivery).unpublish;
const canEdit = (delivery: QueuedDelivery) => delivery.accountType === "byo" && getTakedown(delivery).edits.length > 0;

interface FormProps {
  c: PageContext;
  post: QueuedPost;
}

/** Nothing where no account has the post. */
export const PublishedActions: FC<FormProps> = ({ c, post }) => {
  const out = post.deliveries.filter(isOut);
  if (out.length === 0) return null;
  return (
    <section aria-labelledby="published-actions">
      <h2 id="published-actions">What is out</h2>
      <EditForm c={c} post={post} out={out} />
      <TakedownForm c={c} post={post} out={out} />
    </section>
  );
};

const TakedownForm: FC<FormProps & { out: QueuedDelivery[] }> = ({ c, post, out }) => {
  const removable = out.filter(canRemove);
  return (
    <details class="card">
      <summary>Take down</summary>
      {removable.length > 0 && (
        <form
          class="stack"
          method="post"
          action={`/dashboard/${c.var.workspace.id}/posts/${post.id}/unpublish`}
          data-confirm="Take the post down? The networks delete it at once, with its comments and figures."
        >
          <AccountChoices legend="Remove it from" deliveries={removable} />
          <button type="submit">Take down</button>
        </form>
      )}
      <ByHand
        deliveries={out.filter((delivery) => !canRemove(delivery))}
        describe={(delivery) => getTakedown(delivery).removedByHand}
      />
    </details>
  );
};

const EditForm: FC<FormProps & { out: QueuedDelivery[] }> = ({ c, post, out }) => {
  const editable = out.filter(canEdit);
  if (editable.length === 0) return null;
  const hasTitle = editable.some((delivery) => getTakedown(delivery).edits.includes("title"));
  return (
    <details class="card">
      <summary>Edit what is out</summary>
      <form
        class="stack"
        method="post"
        action={`/dashboard/${c.var.workspace.id}/posts/${post.id}/edit-published`}
        data-confirm="Change what is out? Readers see the new text at once."
      >
        <label for="published-caption">Text</label>
        <textarea id="published-caption" name="caption" rows={5}>
          {post.caption}
        </textarea>
        {hasTitle && (
          <>
            <label for="published-title">Title for YouTube and Pinterest (empty: as it is)</label>
            <input id="published-title" name="title" maxlength={100} autocomplete="off" />
          </>
        )}
        <AccountChoices legend="Change it on" deliveries={editable} />
        {editable.some(({ platform }) => platform === "twitter") && (
          <p class="hint">X lets accounts with Premium edit a post, within an hour of publishing.</p>
        )}
        <button type="submit">Change</button>
      </form>
      <ByHand
        deliveries={out.filter((delivery) => !canEdit(delivery))}
        describe={(delivery) => getTakedown(delivery).editedByHand ?? "Nobody can change it there: take it down."}
      />
    </details>
  );
};

const AccountChoices: FC<{ legend: string; deliveries: QueuedDelivery[] }> = ({ legend, deliveries }) => (
  <fieldset>
    <legend>{legend}</legend>
    {deliveries.map(({ accountId, platform, username }) => (
      <label class="check">
        <input type="checkbox" name="account" value={accountId} checked />
        <span>
          <PlatformMark platform={platform} /> {getPlatformName(platform)} {username}
        </span>
      </label>
    ))}
  </fieldset>
);

interface ByHandProps {
  deliveries: QueuedDelivery[];
  describe(delivery: QueuedDelivery): string;
}

/** Accounts on which only their owner can do it, and how. */
const ByHand: FC<ByHandProps> = ({ deliveries, describe }) =>
  deliveries.length === 0 ? null : (
    <ul class="deliveries">
      {deliveries.map((delivery) => (
        <li class="delivery">
          <PlatformMark platform={delivery.platform} />
          <span class="who">
            {getPlatformName(delivery.platform)} {delivery.username}
          </span>
          {delivery.publishedUrl && (
            <a href={delivery.publishedUrl} rel="noreferrer" target="_blank">
              Open<span class="visually-hidden"> the post on {getPlatformName(delivery.platform)}</span>
            </a>
          )}
          <p class="hint">By hand: {describe(delivery)}</p>
        </li>
      ))}
    </ul>
  );

interface SentForm {
  post: QueuedPost;
  chosen: string[];
  text(name: string): string;
}

async function readForm(c: PageContext): Promise<SentForm> {
  const { services, workspace } = c.var;
  const id = c.req.param("postId") ?? "";
  const [found] = isUuid(id) ? await readAll(services.db, [findQueuedPost(services.db, workspace.id, id)]) : [null];
  if (!found) throw new PageError(404, "There is no such post in this workspace.");
  const form = await c.req.parseBody({ all: true });
  const list = (name: string) => [form[name] ?? []].flat().filter((value) => typeof value === "string");
  return { post: found.post, chosen: list("account"), text: (name) => list(name)[0] ?? "" };
}

type Results = z.output<typeof PostUnpublished>["results"] | z.output<typeof PublishedEdited>["results"];

/** Runs the operation, and says on the page of the post what came of each account. */
async function showResults(c: PageContext, { post }: SentForm, work: () => Promise<Results>): Promise<Response> {
  try {
    const results = await work();
    const kind = results.some(({ result }) => result === "failed") ? "problem" : "done";
    const lines = results.map(({ account_id, message }) => {
      const delivery = post.deliveries.find(({ accountId }) => accountId === account_id);
      return delivery ? `${getPlatformName(delivery.platform)} ${delivery.username}: ${message}` : message;
    });
    setNotice(c, { kind, text: lines.join(" ") });
  } catch (error) {
    const known = toApiError(error);
    if (!known || known.status >= 500) throw error;
    setNotice(c, { kind: "problem", text: known.message });
  }
  return c.redirect(`/dashboard/${c.var.workspace.id}/posts/${post.id}`, 303);
}

const NOTHING_CHOSEN = "Choose at least one account.";

async function takeDown(c: PageContext): Promise<Response> {
  const sent = await readForm(c);
  if (sent.chosen.length === 0) throw new PageError(400, NOTHING_CHOSEN);
  const input = { params: { postId: sent.post.id }, body: { account_ids: sent.chosen } };
  return showResults(c, sent, async () => {
    const { results } = await runOperation<z.output<typeof PostUnpublished>>(c, unpublishPost, input);
    return results;
  });
}

async function changeText(c: PageContext): Promise<Response> {
  const sent = await readForm(c);
  if (sent.chosen.length === 0) throw new PageError(400, NOTHING_CHOSEN);
  const { post, chosen, text } = sent;
  const editable = post.deliveries.filter((delivery) => isOut(delivery) && canEdit(delivery));
  // With all of them it is the text of the post that changes, not that of single accounts.
  const isForAll = editable.every(({ accountId }) => chosen.includes(accountId));
  const body = {
    caption: text("caption"),
    ...(text("title").trim() ? { title: text("title") } : {}),
    ...(isForAll ? {} : { account_ids: chosen }),
  };
  return showResults(c, sent, async () => {
    const input = { params: { postId: post.id }, body };
    const { results } = await runOperation<z.output<typeof PublishedEdited>>(c, editPublished, input);
    return results;
  });
}

export const takedownPages: Page[] = [
  { id: "posts.unpublish", method: "POST", path: "/posts/:postId/unpublish", role: "editor", handle: takeDown },
  {
    id: "posts.edit-published",
    method: "POST",
    path: "/posts/:postId/edit-published",
    role: "editor",
    handle: changeText,
  },
];
