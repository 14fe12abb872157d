// Checks a post that is being written: the problems of each account, and a preview. It stores nothing.
import type { FC } from "hono/jsx";
import * as z from "zod";
import { consumeRateLimits } from "../../../lib/http/rate-limits.ts";
import { findCardLink } from "../../../lib/platforms/link-cards.ts";
import { checkPost } from "../../../lib/publishing/check-post.ts";
import { selectAccountPosts } from "../../../lib/publishing/content.ts";
import { findConflicts } from "../../../lib/publishing/find-conflicts.ts";
import {
  getAccountIds,
  type ReferencedAccount,
  type References,
  readReferences,
  resolveReferences,
} from "../../../lib/publishing/load-references.ts";
import { resolveTime } from "../../../lib/publishing/resolve-time.ts";
import { listSlotCandidates } from "../../../lib/publishing/take-slot.ts";
import { listAccounts } from "../../../lib/queries/accounts.ts";
import { PostCreate, type PostDraft } from "../../../lib/schemas/post-body.ts";
import { countOutsideUrls } from "../../../lib/services/outside-urls.ts";
import { listFetchedUrls } from "../../../lib/shared/post-content.ts";
import { getPlatformName } from "../format.ts";
import { describeProblem, formatMessage, nameField } from "../messages.ts";
import type { PageContext } from "../page.ts";
import { ACCOUNT_WORDS } from "../pages/post-states.tsx";
import { Previews } from "../preview.tsx";
import { PageError } from "../session.ts";

/** TikTok's settings are for posts to TikTok alone, so the composer makes up to two posts. */
const Posts = z.strictObject({ posts: z.array(z.unknown()).min(1).max(2) });

interface CheckResult extends ReturnType<typeof checkPost> {
  draft: PostDraft;
  references: References;
}

export async function checkPosts(c: PageContext): Promise<Response> {
  const body = Posts.safeParse(await c.req.json().catch(() => null));
  if (!body.success) throw new PageError(400, "Send one or two posts.");
  const parsed = body.data.posts.map((post) => PostCreate.safeParse(post));
  const mistakes = parsed.flatMap(({ error }) => error?.issues ?? []);
  if (mistakes.length > 0) return c.html(<Mistakes issues={mistakes} />);
  const drafts = parsed.flatMap(({ data }) => (data ? [data] : []));
  await consumeChecks(c, drafts);
  const results = await Promise.all(drafts.map((draft) => checkDraft(c, draft)));
  const inactive = await listInactive(c, results);
  return c.html(
    <div
      data-ok={
        inactive.length === 0 && results.every(({ checks }) => checks.every(({ ok }) => ok)) ? "true" : undefined
      }
    >
      <ul class="checks">
        {results.map((one) => (
          <AccountChecks {...one} timeZone={c.var.timeZone} />
        ))}
        {inactive.map(({ platform, username, status }) => (
          <li class="bad">
            {getPlatformName(platform)} {username}: {ACCOUNT_WORDS[status]}. Nothing is published there until it is
            active again; the draft keeps it.
          </li>
        ))}
      </ul>
      <h2>Preview</h2>
      {results.map(({ draft, references }) => (
        <Previews
          hasPlayer
          post={{
            ...draft,
            deliveries: [...references.accounts.values()].map((one) => ({ ...one, accountId: one.id })),
          }}
          findCard={(delivery) => findCard(draft, references, delivery)}
        />
      ))}
    </div>,
  );
}

/** The accounts of a draft that were paused or disconnected after it was written. */
async function listInactive({ var: { services, workspace } }: PageContext, results: CheckResult[]) {
  const missing = results.flatMap(({ draft, references }) =>
    getAccountIds(draft).filter((id) => !references.accounts.has(id)),
  );
  if (missing.length === 0) return [];
  const all = await listAccounts(services.db, workspace.actor.scope, "all");
  return all.filter(({ id }) => missing.includes(id));
}

/** The card that the check has read. A card that a network makes by itself is not known. */
function findCard(draft: PostDraft, references: References, { username, platform }: PreviewedAccount) {
  const post = selectAccountPosts(draft, references).find(
    ({ account }) => account.username === username && account.platform === platform,
  );
  const link = post?.capabilities.linkCard === "from_tags" ? findCardLink(post.content) : null;
  const card = link && references.cards.get(link.url);
  return card && !("problem" in card) ? card : null;
}

type PreviewedAccount = Pick<ReferencedAccount, "username" | "platform">;

/** A check while typing counts as one of POST /posts/prepare. */
async function consumeChecks(c: PageContext, drafts: PostDraft[]): Promise<void> {
  const { services, workspace, now } = c.var;
  const outside = drafts.reduce((sum, draft) => sum + countOutsideUrls(listFetchedUrls(draft), services.env), 0);
  const costs = { post_checks: drafts.length, outside_urls: outside };
  const { error } = await consumeRateLimits(services.redis, ["post_checks", "outside_urls"], workspace.id, now, costs);
  if (error) throw error;
}

async function checkDraft(c: PageContext, given: PostDraft): Promise<CheckResult> {
  const { services, workspace, now } = c.var;
  const { id, scope } = workspace.actor;
  const found = await readReferences({ ...services, now, key: { id, publicId: id, scope } }, given);
  const references = await resolveReferences(services, given, found);
  const draft = resolveTime(given, references.timeZone);
  const slotTimes = listSlotCandidates(draft, references, now);
  const { warnings, ...checked } = checkPost(draft, references, now, slotTimes);
  return {
    ...{ draft, references, ...checked },
    // The composer writes drafts, and a draft conflicts with nothing.
    warnings: [...warnings, ...findConflicts(draft, references, now, slotTimes, null)],
  };
}

const Mistakes: FC<{ issues: z.core.$ZodIssue[] }> = ({ issues }) => (
  <div>
    <ul class="checks">
      {issues.map(({ path, message }) => (
        <li class="bad">
          {nameField(path)}: {message}
        </li>
      ))}
    </ul>
  </div>
);

const AccountChecks: FC<CheckResult & { timeZone: string }> = ({ references, checks, warnings, timeZone }) => (
  <>
    {checks.map(({ account_id, ok, problems }) => {
      const account = references.accounts.get(account_id);
      return (
        <li class={ok ? "ok" : "bad"}>
          {account && `${getPlatformName(account.platform)} ${account.username}`}:{" "}
          {ok ? "fits" : problems.map((problem) => describeProblem(problem, timeZone)).join(" ")}
        </li>
      );
    })}
    {warnings.map(({ message }) => (
      <li>{formatMessage(message, timeZone)}</li>
    ))}
  </>
);
