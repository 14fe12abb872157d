// The posts and the days of a period as files for spreadsheets, read page by page through the operations of the API.
import type { Summary } from "../../../lib/schemas/analytics.ts";
import { type Cell, CSV_START, CSV_TYPE, formatCsvRow } from "../../../lib/shared/csv.ts";
import readSummary from "../../analytics/summary.ts";
import { getPlatformName } from "../format.ts";
import type { PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { readPosts, readSort } from "./best-posts.tsx";
import { readFilter, toPeriodQuery, toQuery } from "./filter.tsx";
import type { MeasuredPost } from "./words.ts";

/** Of one operation. */
const PAGE_SIZE = 100;
/** A Worker may call others a limited number of times for one request. */
export const MAX_EXPORTED_POSTS = 5_000;

type PostColumn = readonly [name: string, read: (post: MeasuredPost) => Cell];

const POST_COLUMNS: readonly PostColumn[] = [
  ["Published (UTC)", ({ publishedAt }) => new Date(publishedAt).toISOString().slice(0, 19).replace("T", " ")],
  ["Network", ({ platform }) => getPlatformName(platform)],
  ["Account", ({ accountDisplayName }) => accountDisplayName],
  ["Caption", ({ caption }) => caption],
  ["Link", ({ permalink }) => permalink],
  ["Seconds", ({ durationSeconds }) => durationSeconds],
  ["Views", ({ metrics }) => metrics.views],
  ["Likes", ({ metrics }) => metrics.likes],
  ["Comments", ({ metrics }) => metrics.comments],
  ["Shares", ({ metrics }) => metrics.shares],
  ["Saves", ({ metrics }) => metrics.saves],
  ["Engagement rate", ({ engagementRate }) => engagementRate],
];

/** An error in the middle ends the download as failed, so that no file looks complete that is not. */
export async function exportPosts(c: PageContext): Promise<Response> {
  const filter = readFilter(c);
  const sort = readSort(c);
  const readPage = (cursor?: string) => readPosts(c, filter, { sort, limit: PAGE_SIZE, cursor });
  // The first page is read before the response begins, so that its error is a page for people.
  let page: Awaited<ReturnType<typeof readPage>> | null = await readPage();
  let rows = 0;
  const encoder = new TextEncoder();
  const head = CSV_START + formatCsvRow(POST_COLUMNS.map(([name]) => name));
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(head));
    },
    async pull(controller) {
      if (!page) return controller.close();
      const { posts, next_cursor } = page;
      rows += posts.length;
      const lines = posts.map((post) => formatCsvRow(POST_COLUMNS.map(([, read]) => read(post))));
      if (lines.length > 0) controller.enqueue(encoder.encode(lines.join("")));
      page = next_cursor && rows < MAX_EXPORTED_POSTS ? await readPage(next_cursor) : null;
      if (!page) controller.close();
    },
  });
  return c.body(stream, 200, getHeaders(`posts-${nameDays(toPeriodQuery(filter))}`));
}

export async function exportDays(c: PageContext): Promise<Response> {
  const filter = readFilter(c);
  const summary = await runOperation<Summary>(c, readSummary, { query: toQuery(filter) });
  const head = ["Day (UTC)", "Views", "Likes", "Comments", "Shares", "Saves", "Interactions", "Engagement rate"];
  const rows = summary.engagementSeries.map(({ date, views, interactions, engagementRate }, at): Cell[] => {
    const { likes = 0, comments = 0, shares = 0, saves = 0 } = summary.interactionSeries[at] ?? {};
    return [date, views, likes, comments, shares, saves, interactions, engagementRate];
  });
  const { start, end } = summary.period;
  const text = CSV_START + [head, ...rows].map(formatCsvRow).join("");
  return c.body(text, 200, getHeaders(`days-${nameDays({ start, end })}`));
}

function nameDays({ range, start, end }: Record<string, string>): string {
  return start && end ? `${start}-to-${end}` : (range ?? "");
}

function getHeaders(name: string): Record<string, string> {
  return { "Content-Type": CSV_TYPE, "Content-Disposition": `attachment; filename="analytics-${name}.csv"` };
}
