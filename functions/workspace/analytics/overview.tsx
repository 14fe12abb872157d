// All tracked accounts together: figures, charts, the best posts, and each account with how it is.
import type { FC } from "hono/jsx";
import type * as z from "zod";
import { listAccounts } from "../../../lib/queries/accounts.ts";
import { listNewestRefreshes, type StoredRefresh } from "../../../lib/queries/analytics-refresh-requests.ts";
import type { Summary, TargetList, TargetWithSummary } from "../../../lib/schemas/analytics.ts";
import getTarget from "../../analytics/get-target.ts";
import listTargets from "../../analytics/list-targets.ts";
import readSummary from "../../analytics/summary.ts";
import { Empty, Layout } from "../layout.tsx";
import type { PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { hasRole } from "../session.ts";
import { PostList, readPosts } from "./best-posts.tsx";
import { Figures } from "./figures.tsx";
import { type AnalyticsFilter, PeriodFilter, readFilter, toPeriodQuery, toQuery, toSearch } from "./filter.tsx";
import { TargetCard } from "./target-card.tsx";
import { ConnectedAccounts, listTrackable, type RejectedTarget, TargetForm } from "./target-form.tsx";
import type { TrackedAccount } from "./words.ts";

const BEST_POSTS = 5;
/** Accounts with a chart of their own on this page; each costs a read. */
const MAX_CHARTS = 12;

export async function showAnalytics(c: PageContext, rejected?: RejectedTarget): Promise<Response> {
  const filter = readFilter(c);
  const { services, workspace, timeZone } = c.var;
  const [{ targets: listed }, summary, { posts }, accounts, refreshes] = await Promise.all([
    // One round trip: a workspace that tracks nothing reads empty figures in vain once.
    runOperation<z.output<typeof TargetList>>(c, listTargets, { query: { limit: "100" } }),
    runOperation<Summary>(c, readSummary, { query: { ...toQuery(filter), timeZone } }),
    readPosts(c, filter, { sort: "views", limit: BEST_POSTS }),
    listAccounts(services.db, workspace.actor.scope, "active"),
    listNewestRefreshes(services.db, workspace.actor.scope),
  ]);
  const targets = listed.toSorted((a, b) => Number(b.metadata.favorite) - Number(a.metadata.favorite));
  const canWrite = hasRole(workspace.role, "editor");
  const trackable = canWrite ? listTrackable(accounts, targets) : [];
  const addition = canWrite && (
    <>
      <ConnectedAccounts c={c} accounts={trackable} />
      <TargetForm c={c} rejected={rejected} />
    </>
  );
  return c.html(
    <Layout c={c} title="Analytics" active="analytics" scripts={["analytics"]}>
      {targets.length === 0 ? (
        <Empty title="Nothing is measured yet">
          <p>
            {canWrite
              ? "Track an account: its posts are read and counted here."
              : `An editor of ${workspace.name} tracks the first account here.`}
          </p>
          {addition}
        </Empty>
      ) : (
        <>
          <div id="figures">
            <PeriodFilter filter={filter} targets={targets} />
            <section>
              <h2>All of them together</h2>
              <Figures summary={summary} timeZone={timeZone} />
            </section>
            <BestPosts c={c} filter={filter} posts={posts} />
            <Exports base={`/dashboard/${workspace.id}/analytics`} filter={filter} />
          </div>
          <section id="targets" data-api={`/dashboard/${workspace.id}/api`}>
            <h2>Tracked accounts</h2>
            <TargetCards c={c} filter={filter} targets={targets} refreshes={refreshes} />
          </section>
          {addition && (
            <details class="card" open={rejected !== undefined}>
              <summary>Track another account</summary>
              {addition}
            </details>
          )}
        </>
      )}
    </Layout>,
    rejected ? 422 : 200,
  );
}

interface BestPostsProps {
  c: PageContext;
  filter: AnalyticsFilter;
  posts: Awaited<ReturnType<typeof readPosts>>["posts"];
}

export const BestPosts: FC<BestPostsProps> = ({ c, filter, posts }) =>
  posts.length === 0 ? null : (
    <section>
      <h2>Best posts</h2>
      <PostList c={c} posts={posts} />
      <p class="pager">
        <a class="button" href={`/dashboard/${c.var.workspace.id}/analytics/posts?${toSearch(filter)}`}>
          All posts of the period
        </a>
      </p>
    </section>
  );

export const Exports: FC<{ base: string; filter: AnalyticsFilter }> = ({ base, filter }) => (
  <section>
    <h2>For a spreadsheet</h2>
    <p class="row">
      <a class="button" href={`${base}/export/posts?${toSearch(filter)}`} download>
        Posts as CSV
      </a>
      <a class="button" href={`${base}/export/days?${toSearch(filter)}`} download>
        Days as CSV
      </a>
    </p>
  </section>
);

interface TargetCardsProps {
  c: PageContext;
  filter: AnalyticsFilter;
  targets: TrackedAccount[];
  refreshes: StoredRefresh[];
}

const TargetCards: FC<TargetCardsProps> = async ({ c, filter, targets, refreshes }) => {
  const newest = new Map(refreshes.map((refresh) => [refresh.targetId, refresh]));
  const summaries = await Promise.all(
    targets.slice(0, MAX_CHARTS).map(({ id }) =>
      runOperation<z.output<typeof TargetWithSummary>>(c, getTarget, {
        params: { targetId: id },
        query: toPeriodQuery(filter),
      }),
    ),
  );
  const search = toSearch({ ...filter, networks: [], accounts: [] });
  return (
    <ul class="targets">
      {targets.map((target, at) => (
        <TargetCard
          c={c}
          target={target}
          refresh={newest.get(target.id)}
          summary={summaries[at]?.summary ?? null}
          search={search}
        />
      ))}
    </ul>
  );
};
