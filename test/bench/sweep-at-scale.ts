// The sweep over accounts with many due deliveries: the time of a page must not depend on how many wait behind the first.
import { performance } from "node:perf_hooks";
import { listDueAccounts } from "../../lib/queries/due-accounts.ts";
import { openDatabase } from "../../lib/services/database.ts";
import { median } from "../support/statistics.ts";
import { openBenchDatabase } from "./bench-database.ts";
import { createAccounts, createDuePosts } from "./due-accounts.ts";
import type { BenchContext, Cell, Section } from "./section.ts";

const SIZES = { short: { accounts: 1_500, deliveries: 15_000 }, long: { accounts: 20_000, deliveries: 1_400_000 } };
const ACCOUNTS_PER_PAGE = 1_000;
const MAX_PAGE_MS = 100;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

const section: Section = {
  title: "Sweep at scale",

  async run(context: BenchContext) {
    const size = context.short ? SIZES.short : SIZES.long;
    const bench = await openBenchDatabase(context);
    const { database } = bench;
    const accounts = await createAccounts(bench, "twitter", size.accounts);
    // The counts that triggers keep are not read here.
    await database.exec("alter table posts disable trigger user");
    const now = new Date();
    const due = [new Date(now.getTime() - 3_600_000), now] as const;
    await createDuePosts(bench, accounts, { count: size.deliveries, due, label: "Due" });
    await database.exec("alter table posts enable trigger user; analyze");
    context.log(`${size.deliveries} deliveries are due on ${size.accounts} accounts, on ${bench.engine}`);

    const times: number[] = [];
    let listed = 0;
    for (let after: string | null = FIRST_ID; after !== null; ) {
      // A handle of its own for each page, as the driver's endpoint is global.
      const { DATABASE_URL = "", DATABASE_FETCH_URL } = bench.vars;
      const db = openDatabase({ DATABASE_URL, DATABASE_FETCH_URL }, "bench");
      const began = performance.now();
      const page = await listDueAccounts(db, { now, until: now, afterAccountId: after, limit: ACCOUNTS_PER_PAGE });
      times.push(performance.now() - began);
      listed += page.due.length;
      after = page.lastAccountId;
    }
    const medianMs = Math.round(median(times));
    const rows: Record<string, Cell>[] = [
      {
        "due deliveries": size.deliveries,
        accounts: size.accounts,
        listed,
        pages: times.length,
        "page p50, ms": medianMs,
        "page least, ms": Math.round(Math.min(...times)),
        "page most, ms": Math.round(Math.max(...times)),
        "at most": MAX_PAGE_MS,
      },
    ];
    return [
      {
        title: `Pages of ${ACCOUNTS_PER_PAGE} accounts of the sweep, on ${bench.engine}`,
        rows,
        broken: [
          ...(listed === size.accounts ? [] : [`${listed} accounts were listed, expected ${size.accounts}`]),
          ...(medianMs <= MAX_PAGE_MS ? [] : [`a page takes ${medianMs} ms, the limit is ${MAX_PAGE_MS}`]),
        ],
      },
    ];
  },
};

export default section;
