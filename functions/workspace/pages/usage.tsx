// The plan, and how much of each rate limit is used.
import { POLICIES, type PolicyName, readRemaining } from "../../../lib/http/rate-limits.ts";
import { DAY_SECONDS } from "../../../lib/shared/durations.ts";
import { formatDay } from "../format.ts";
import { Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";

/** The rate limits that a customer consumes by using the API, in words. */
const SHOWN: [PolicyName, string][] = [
  ["post_checks", "Posts checked, scheduled or changed"],
  ["outside_urls", "Addresses of other sites that were read"],
  ["file_starts", "Uploads started"],
  ["file_finalizes", "Uploads finished"],
  ["renders", "Slideshows rendered"],
  ["generations", "Slideshows and slides generated"],
  ["viral_searches", "Searches of the viral library"],
  ["viral_searches_daily", "Searches of the viral library, per day"],
  ["viral_results_daily", "Results of these searches, per day"],
];

async function showUsage(c: PageContext): Promise<Response> {
  const { services, workspace, now, timeZone } = c.var;
  const remaining = await readRemaining(
    services.redis,
    SHOWN.map(([name]) => name),
    workspace.id,
    now,
  );
  const { tier, subscription, paidUntil } = workspace.actor.plan;
  return c.html(
    <Layout c={c} title="Usage" active="usage">
      <section class="card">
        <h2>Plan</h2>
        {tier ? (
          <p>
            {tier[0]?.toUpperCase()}
            {tier.slice(1)}, {subscription}
            {paidUntil && `, paid until ${formatDay(paidUntil, timeZone)}`}
          </p>
        ) : (
          <p>No plan. Posts can be read, and none can be made.</p>
        )}
      </section>
      <section>
        <h2>Rate limits</h2>
        <p class="lead">
          What the people and programs of this workspace may do together in a time. A step over a limit is rejected,
          with the time to wait.
        </p>
        <ul class="meters">
          {SHOWN.map(([name, label], at) => {
            const { quota, windowSeconds } = POLICIES[name];
            const left = remaining[at]?.remaining ?? quota;
            const id = `meter-${name}`;
            return (
              <li class="card">
                <label for={id}>{label}</label>
                <meter id={id} min={0} max={quota} high={quota * 0.8} value={quota - left} />
                <span class="hint">
                  {quota - left} of {quota} per{" "}
                  {windowSeconds === 60 ? "minute" : windowSeconds === DAY_SECONDS ? "day" : "hour"}
                </span>
              </li>
            );
          })}
        </ul>
      </section>
    </Layout>,
  );
}

export const usagePages: Page[] = [
  { id: "usage.show", method: "GET", path: "/usage", role: "viewer", handle: showUsage },
];
