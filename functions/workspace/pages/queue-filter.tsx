// The filter of the queue.
import type { FC } from "hono/jsx";
import * as z from "zod";
import type { ListedAccount } from "../../../lib/queries/accounts.ts";
import { PLATFORMS, type Platform } from "../../../lib/shared/platforms.ts";
import { POST_STATUSES } from "../../../lib/shared/post-status.ts";
import { getPlatformName } from "../format.ts";
import { Choice, countSet, FilterFold } from "../forms.tsx";
import { STATUS_WORDS } from "./post-states.tsx";

const FILTERABLE = POST_STATUSES.filter((status) => status !== "void");

/** A value that does not fit is left out, so that an old link still opens the queue. */
export const Filter = z.object({
  status: z.enum(FILTERABLE).optional().catch(undefined),
  network: z
    .enum(PLATFORMS as [Platform, ...Platform[]])
    .optional()
    .catch(undefined),
  account: z.guid().optional().catch(undefined),
  source: z.enum(["partner_api", "dashboard"]).optional().catch(undefined),
  /** In the time zone of the person: `2026-11-24`. The year 9999 ends in one that databases write in another way. */
  day: z.iso
    .date()
    .refine((day) => day >= "1970" && day < "9000")
    .optional()
    .catch(undefined),
  before: z
    .string()
    .transform((text) => text.split("_"))
    .pipe(z.tuple([z.iso.datetime().refine((at) => at >= "1970"), z.guid()]))
    .optional()
    .catch(undefined),
});
export type Filter = z.output<typeof Filter>;

interface FilterProps {
  filter: Filter;
  accounts: ListedAccount[];
}

export const FilterForm: FC<FilterProps> = ({ filter, accounts }) => (
  <search>
    <form class="filters" method="get" aria-label="Filter the queue">
      <FilterFold set={countSet(filter.day, filter.status, filter.network, filter.account, filter.source)}>
        {filter.day && <DayField day={filter.day} />}
        <FilterFields filter={filter} accounts={accounts} />
        <Choice
          name="source"
          label="Made by"
          value={filter.source}
          options={[
            ["partner_api", "API"],
            ["dashboard", "Dashboard"],
          ]}
        />
        <button type="submit">Filter</button>
        {Object.values(filter).some(Boolean) && <a href="?">Clear</a>}
      </FilterFold>
    </form>
  </search>
);

/** The filters of the queue and the calendar. */
export const FilterFields: FC<FilterProps> = ({ filter, accounts }) => (
  <>
    <Choice
      name="status"
      label="State"
      value={filter.status}
      options={FILTERABLE.map((one) => [one, STATUS_WORDS[one]])}
    />
    <Choice
      name="network"
      label="Network"
      value={filter.network}
      options={[...new Set(accounts.map(({ platform }) => platform))].map((one) => [one, getPlatformName(one)])}
    />
    <Choice
      name="account"
      label="Account"
      value={filter.account}
      options={accounts.map(({ id, platform, username }) => [id, `${username} (${getPlatformName(platform)})`])}
    />
  </>
);

/** Only a link of the calendar sets it, so that it is shown when it is. */
const DayField: FC<{ day: string }> = ({ day }) => (
  <label>
    Day
    <input type="date" name="day" value={day} />
  </label>
);
