// A trend brief: it shows what short videos about a keyword have in common, and offers to make something of it.
import type { FC } from "hono/jsx";
import type * as z from "zod";
import { hasObservedVideos } from "../../../lib/queries/trends.ts";
import { RANGES, type TrendBrief } from "../../../lib/schemas/trends.ts";
import { normalizeKeyword } from "../../../lib/shared/keyword.ts";
import readBrief from "../../trends/brief.ts";
import { formatInstant, formatNumber } from "../format.ts";
import { Choice } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { Brief } from "./brief.tsx";

const MAX_KEYWORD = 100;
const SAMPLES = 12;
const RANGE_WORDS: Record<(typeof RANGES)[number], string> = {
  "24h": "The last day",
  "7d": "The last week",
  "30d": "The last month",
};

async function showTrends(c: PageContext): Promise<Response> {
  const given = c.req.query("keyword");
  const keyword = (given ?? "").slice(0, MAX_KEYWORD).toWellFormed().trim();
  const range = RANGES.find((one) => one === c.req.query("range")) ?? "7d";
  const isUsable = normalizeKeyword(keyword) !== "";
  const [brief, hasVideos] = await Promise.all([
    isUsable
      ? runOperation<z.output<typeof TrendBrief>>(c, readBrief, { query: { keyword, range, limit: String(SAMPLES) } })
      : null,
    hasObservedVideos(c.var.services.db),
  ]);
  return c.html(
    <Layout c={c} title="Trends" active="trends">
      <p class="lead">What the most viewed short videos on TikTok about a topic have in common.</p>
      {given !== undefined && !isUsable && (
        <p class="notice problem" role="alert" id="keyword-problem">
          Topic: enter a word or a phrase, such as skincare.
        </p>
      )}
      <search>
        <form class="filters" method="get" aria-label="Topic and period">
          <label>
            Topic
            <input
              name="keyword"
              value={keyword}
              maxlength={MAX_KEYWORD}
              required
              placeholder="skincare"
              aria-describedby={given !== undefined && !isUsable ? "keyword-problem" : undefined}
            />
          </label>
          <Choice name="range" label="Period" value={range} options={Object.entries(RANGE_WORDS)} isRequired />
          <button type="submit" class="primary">
            Show the trend
          </button>
        </form>
      </search>
      {!hasVideos ? (
        <Empty title="No videos have been observed yet">
          <p>
            A brief is made from short videos that were observed, and there are none here. The people who run this
            service import them from a file, with its command for imports. Nothing is invented in their place.
          </p>
        </Empty>
      ) : (
        brief && <Found c={c} brief={brief} />
      )}
    </Layout>,
  );
}

const Found: FC<{ c: PageContext; brief: z.output<typeof TrendBrief> }> = ({ c, brief }) => {
  if (brief.matched === 0)
    return (
      <Empty title={`Nothing is known about “${brief.keyword}”`}>
        <p>No observed video of this period has it. Try a longer period, or fewer and simpler words.</p>
      </Empty>
    );
  return (
    <>
      <p class="hint">
        From {formatNumber(brief.matched)} videos; as of {formatInstant(new Date(brief.generated_at), c.var.timeZone)} (
        {c.var.timeZone}).
      </p>
      <Brief c={c} brief={brief} />
    </>
  );
};

export const trendPages: Page[] = [
  { id: "trends.show", method: "GET", path: "/trends", role: "viewer", handle: showTrends },
];
