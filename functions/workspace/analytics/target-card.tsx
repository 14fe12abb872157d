// A tracked account: what it gained, how its last refresh went, and what can be done with it.
import type { FC } from "hono/jsx";
import type { StoredRefresh } from "../../../lib/queries/analytics-refresh-requests.ts";
import { MAX_POSTS, type Summary } from "../../../lib/schemas/analytics.ts";
import { formatDistance, formatInstant, formatNumber, getPlatformName } from "../format.ts";
import { formatMessage } from "../messages.ts";
import type { PageContext } from "../page.ts";
import { PlatformMark } from "../platform-mark.tsx";
import { hasRole } from "../session.ts";
import { SmallChart } from "./chart.tsx";
import type { TrackedAccount } from "./words.ts";

interface TargetProps {
  c: PageContext;
  target: TrackedAccount;
  /** The newest one. */
  refresh: StoredRefresh | undefined;
}

const isRunning = (refresh: StoredRefresh | undefined): boolean =>
  refresh?.status === "pending" || refresh?.status === "processing";

interface TargetCardProps extends TargetProps {
  /** Of the period of the page; null where it was not read. */
  summary: Summary | null;
  search: string;
}

export const TargetCard: FC<TargetCardProps> = ({ c, target, refresh, summary, search }) => {
  const { id, platform, display_name, identifier, metadata } = target;
  const views = summary?.kpis.views;
  return (
    <li class="card target" id={`target-${id}`}>
      <h3>
        <PlatformMark platform={platform} />
        <a href={`/dashboard/${c.var.workspace.id}/analytics/accounts/${id}?${search}`} data-deeper>
          {display_name}
        </a>
        {metadata.favorite && <span class="badge">favourite</span>}
      </h3>
      <p class="hint">
        {getPlatformName(platform)} · {identifier}
      </p>
      {views && (
        <div class="gained">
          <p>
            Views: <strong>{views.value === null ? "not given" : formatNumber(views.value)}</strong>
            {views.delta !== null && (
              <span class="hint">
                {" "}
                {views.delta >= 0 ? "+" : "−"}
                {formatNumber(Math.abs(views.delta))}
              </span>
            )}
          </p>
          <SmallChart rows={summary.engagementSeries.map(({ date, views: gained }) => [date, gained])} />
        </div>
      )}
      <RefreshState c={c} target={target} refresh={refresh} />
      {hasRole(c.var.workspace.role, "editor") && <TargetActions c={c} target={target} refresh={refresh} isListed />}
    </li>
  );
};

/** Its script replaces it while a refresh runs. */
export const RefreshState: FC<TargetProps> = ({ c, target, refresh }) => {
  const { now, timeZone } = c.var;
  const last = target.last_refreshed_at === null ? null : new Date(target.last_refreshed_at);
  return (
    <div class="refresh-state" data-refresh={isRunning(refresh) ? refresh?.id : undefined}>
      {isRunning(refresh) ? (
        <p>
          <progress aria-label={`Reading the posts of ${target.display_name}`} /> Reading its posts…{" "}
          {refresh?.error && <span class="hint">{formatMessage(refresh.error, timeZone)}</span>}
          <a href={new URL(c.req.url).search || "?"} class="reload">
            Look again
          </a>
        </p>
      ) : (
        refresh?.status === "failed" && (
          <p class="reason">The last refresh failed. {formatMessage(refresh.error ?? "", timeZone)}</p>
        )
      )}
      <p class="hint">
        {last ? (
          <>
            Refreshed <time title={formatInstant(last, timeZone)}>{formatDistance(last, now)}</time>.
          </>
        ) : (
          "Not read yet."
        )}{" "}
        {!isRunning(refresh) && describeAllowance(target, c)}
      </p>
    </div>
  );
};

function describeAllowance(
  { free_refresh_available, metadata }: TrackedAccount,
  { var: { now, timeZone } }: PageContext,
) {
  if (free_refresh_available) return "Today's free refresh is not used yet.";
  if (!metadata.refreshPolicy.freeDailyRefresh) return "Refreshing is switched off for this account.";
  const midnight = new Date(now);
  midnight.setUTCHours(24, 0, 0, 0);
  return `Today's refresh is used. The next one is free from ${formatInstant(midnight, timeZone)} (${timeZone}).`;
}

interface TargetActionsProps extends TargetProps {
  /** Beside others: removing it can be taken back, since the page stays. */
  isListed: boolean;
}

export const TargetActions: FC<TargetActionsProps> = ({ c, target, refresh, isListed }) => {
  const { id, display_name, metadata, free_refresh_available } = target;
  const { favorite, refreshPolicy } = metadata;
  const path = `/dashboard/${c.var.workspace.id}/analytics/accounts/${id}`;
  return (
    <div class="target-actions">
      <div class="row">
        <div class="refresh-form">
          {free_refresh_available && !isRunning(refresh) && (
            <form method="post" action={`${path}/refresh`} data-target={id}>
              {!isListed && <input type="hidden" name="from" value="account" />}
              <button type="submit">
                Refresh now<span class="visually-hidden">: {display_name}</span>
              </button>
            </form>
          )}
        </div>
        <form method="post" action={`${path}/favorite`}>
          {!isListed && <input type="hidden" name="from" value="account" />}
          <input type="hidden" name="favorite" value={favorite ? "no" : "yes"} />
          <button type="submit" aria-label={`${favorite ? "No favourite" : "Favourite"}: ${display_name}`}>
            {favorite ? "★ No favourite" : "☆ Favourite"}
          </button>
        </form>
      </div>
      <details>
        <summary>
          Change or remove<span class="visually-hidden"> {display_name}</span>
        </summary>
        <form method="post" action={`${path}/edit`} class="stack">
          <label for={`name-${id}`}>Name here</label>
          <input id={`name-${id}`} name="name" value={display_name} maxlength={100} autocomplete="off" />
          <label for={`posts-${id}`}>Newest posts that a refresh reads</label>
          <input
            id={`posts-${id}`}
            name="posts"
            type="number"
            min={1}
            max={MAX_POSTS}
            value={refreshPolicy.maxPosts}
            required
          />
          <label class="check">
            <input type="checkbox" name="daily" value="yes" checked={refreshPolicy.freeDailyRefresh} /> One free refresh
            a day
          </label>
          <button type="submit">Save</button>
        </form>
        <form
          method="post"
          action={`${path}/remove`}
          data-remove={isListed ? id : undefined}
          data-name={display_name}
          data-confirm={isListed ? undefined : `Stop tracking ${display_name}? Its figures are deleted here.`}
        >
          <p class="hint">Its figures are deleted here. Nothing changes on the network.</p>
          <button type="submit" class="danger">
            Stop tracking<span class="visually-hidden"> {display_name}</span>
          </button>
        </form>
      </details>
    </div>
  );
};
