// One tracked account: its figures, charts and best posts, and how its last refresh went.
import type * as z from "zod";
import { listNewestRefreshes } from "../../../lib/queries/analytics-refresh-requests.ts";
import type { TargetWithSummary } from "../../../lib/schemas/analytics.ts";
import getTarget from "../../analytics/get-target.ts";
import { getPlatformName } from "../format.ts";
import { Layout } from "../layout.tsx";
import type { PageContext } from "../page.ts";
import { PlatformMark } from "../platform-mark.tsx";
import { hasRole } from "../session.ts";
import { readPosts } from "./best-posts.tsx";
import { Figures } from "./figures.tsx";
import { PeriodFilter, readFilter, toPeriodQuery, toSearch } from "./filter.tsx";
import { MissingNumbers } from "./missing-numbers.tsx";
import { BestPosts, Exports } from "./overview.tsx";
import { requireTargetId, runForTarget } from "./run-for-target.ts";
import { RefreshState, TargetActions } from "./target-card.tsx";

const BEST_POSTS = 10;

export async function showAccount(c: PageContext): Promise<Response> {
  const targetId = requireTargetId(c);
  const filter = { ...readFilter(c), networks: [], accounts: [targetId] };
  const { services, workspace, timeZone } = c.var;
  const [{ target, summary }, { posts }, refreshes] = await Promise.all([
    runForTarget<z.output<typeof TargetWithSummary>>(c, getTarget, {
      params: { targetId },
      query: { ...toPeriodQuery(filter), timeZone },
    }),
    readPosts(c, filter, { sort: "views", limit: BEST_POSTS }),
    listNewestRefreshes(services.db, workspace.actor.scope),
  ]);
  const refresh = refreshes.find((one) => one.targetId === targetId);
  const base = `/dashboard/${workspace.id}/analytics`;
  return c.html(
    <Layout
      c={c}
      title={target.display_name}
      active="analytics"
      scripts={["analytics"]}
      actions={
        <a class="button" href={`${base}?${toSearch({ ...filter, accounts: [] })}`}>
          All accounts
        </a>
      }
    >
      <section class="card target" id="targets" data-api={`/dashboard/${workspace.id}/api`}>
        <p class="line">
          <PlatformMark platform={target.platform} /> {getPlatformName(target.platform)} · {target.identifier}
        </p>
        <RefreshState c={c} target={target} refresh={refresh} />
        <MissingNumbers c={c} target={target} />
        {hasRole(workspace.role, "editor") && (
          <TargetActions c={c} target={target} refresh={refresh} isListed={false} />
        )}
      </section>
      <div id="figures">
        <PeriodFilter filter={filter} targets={[]} />
        <section>
          <h2>Figures</h2>
          <Figures summary={summary} timeZone={timeZone} />
        </section>
        <BestPosts c={c} filter={filter} posts={posts} />
        <Exports base={base} filter={filter} />
      </div>
    </Layout>,
  );
}
