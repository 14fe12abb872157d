// The days, networks and accounts of the figures. All of it stands in the address, so that it can be kept and shared.
import type { FC } from "hono/jsx";
import { countDays, RANGES } from "../../../lib/schemas/analytics-period.ts";
import { MAX_DAYS } from "../../../lib/schemas/analytics-queries.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import { PLATFORMS, type Platform } from "../../../lib/shared/platforms.ts";
import { getPlatformName } from "../format.ts";
import type { PageContext } from "../page.ts";
import type { TrackedAccount } from "./words.ts";

type Range = (typeof RANGES)[number];

const RANGE_WORDS: Record<Range, string> = {
  "14d": "14 days",
  "30d": "30 days",
  "90d": "90 days",
  "1y": "A year",
  all: "Everything",
};

export interface AnalyticsFilter {
  range: Range;
  /** In place of the range: UTC days, as they were typed. */
  start: string;
  end: string;
  networks: Platform[];
  /** Ids of targets. */
  accounts: string[];
  /** The mistake in the dates; the range counts then. */
  problem: string | null;
}

const MAX_ACCOUNTS = 100;

/** A value that does not fit is left out, so that an old link still opens the page. */
export function readFilter(c: PageContext): AnalyticsFilter {
  const [start, end] = [c.req.query("start") ?? "", c.req.query("end") ?? ""].map((text) => text.trim().slice(0, 10));
  const chosen = c.req.queries("network") ?? [];
  const accounts = (c.req.queries("account") ?? []).map((id) => id.toLowerCase()).filter(isUuid);
  return {
    range: RANGES.find((one) => one === c.req.query("range")) ?? "30d",
    start: start ?? "",
    end: end ?? "",
    networks: PLATFORMS.filter((network) => chosen.includes(network)),
    accounts: [...new Set(accounts)].slice(0, MAX_ACCOUNTS),
    problem: findDateProblem(start ?? "", end ?? ""),
  };
}

function findDateProblem(start: string, end: string): string | null {
  if (start === "" && end === "") return null;
  if (start === "") return "From: choose the first day, too, or empty both dates.";
  if (end === "") return "To: choose the last day, too, or empty both dates.";
  if (!isDay(start)) return "From: there is no such day. Enter a date such as 2026-11-20.";
  if (!isDay(end)) return "To: there is no such day. Enter a date such as 2026-11-20.";
  if (end < start) return "To: choose a day that is not before the first one.";
  return countDays(start, end) > MAX_DAYS ? "To: choose at most ten years." : null;
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < "1970" || text >= "9000") return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

const hasDates = ({ start, problem }: AnalyticsFilter): boolean => start !== "" && problem === null;

/** The days as the operations take them. */
export function toPeriodQuery(filter: AnalyticsFilter): Record<string, string> {
  return hasDates(filter) ? { start: filter.start, end: filter.end } : { range: filter.range };
}

/** The filter as the operations take it. */
export function toQuery(filter: AnalyticsFilter): Record<string, string> {
  const { networks, accounts } = filter;
  return {
    ...toPeriodQuery(filter),
    ...(networks.length > 0 ? { platforms: networks.join(",") } : {}),
    ...(accounts.length > 0 ? { accounts: accounts.join(",") } : {}),
  };
}

/** The filter as the pages take it. */
export function toSearch(filter: AnalyticsFilter, extra: Record<string, string> = {}): string {
  const search = new URLSearchParams(toPeriodQuery(filter));
  for (const network of filter.networks) search.append("network", network);
  for (const account of filter.accounts) search.append("account", account);
  for (const [name, value] of Object.entries(extra)) search.set(name, value);
  return search.toString();
}

interface FilterProps {
  filter: AnalyticsFilter;
  /** None on the page of one account. */
  targets: readonly TrackedAccount[];
  /** Fields of the page beside the filter. */
  extra?: Record<string, string>;
}

export const PeriodFilter: FC<FilterProps> = ({ filter, targets, extra = {} }) => (
  <>
    <nav class="months" aria-label="Period">
      {RANGES.map((range) => (
        <a
          class="button"
          href={`?${toSearch({ ...filter, range, start: "", end: "", problem: null }, extra)}`}
          aria-current={range === filter.range && !hasDates(filter) ? "true" : undefined}
        >
          {RANGE_WORDS[range]}
        </a>
      ))}
    </nav>
    {filter.problem && (
      <p class="notice problem" role="alert" id="date-problem">
        {filter.problem}
      </p>
    )}
    <search>
      <form class="filters" method="get" aria-label="Days and accounts">
        {Object.entries(extra).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <DateField name="start" label="From" value={filter.start} filter={filter} />
        <DateField name="end" label="To" value={filter.end} filter={filter} />
        {!hasDates(filter) && <input type="hidden" name="range" value={filter.range} />}
        {targets.length > 1 && <AccountChoice filter={filter} targets={targets} />}
        <button type="submit">Show</button>
      </form>
    </search>
  </>
);

const DateField: FC<{ name: string; label: string; value: string; filter: AnalyticsFilter }> = ({
  name,
  label,
  value,
  filter,
}) => (
  <label>
    {label}
    <input type="date" name={name} value={value} aria-describedby={filter.problem ? "date-problem" : undefined} />
  </label>
);

const AccountChoice: FC<FilterProps> = ({ filter, targets }) => {
  const chosen = filter.networks.length + filter.accounts.length;
  const networks = PLATFORMS.filter((network) => targets.some(({ platform }) => platform === network));
  return (
    <details class="choose-accounts">
      <summary class="button">{chosen === 0 ? "All accounts" : `${chosen} chosen`}</summary>
      <div class="card">
        {networks.length > 1 && (
          <fieldset>
            <legend>Networks</legend>
            {networks.map((network) => (
              <label class="check">
                <input type="checkbox" name="network" value={network} checked={filter.networks.includes(network)} />{" "}
                {getPlatformName(network)}
              </label>
            ))}
          </fieldset>
        )}
        <fieldset>
          <legend>Accounts</legend>
          {targets.map(({ id, display_name, platform }) => (
            <label class="check">
              <input type="checkbox" name="account" value={id} checked={filter.accounts.includes(id)} /> {display_name}{" "}
              ({getPlatformName(platform)})
            </label>
          ))}
        </fieldset>
      </div>
    </details>
  );
};
