// A trend brief in words: hooks, videos, hashtags, sounds, creators and hours, each with what can be made of it.
import type { Child, FC } from "hono/jsx";
import type * as z from "zod";
import type { TrendBrief } from "../../../lib/schemas/trends.ts";
import { formatDate } from "../../../lib/shared/shown-instant.ts";
import { toWallClock } from "../../../lib/shared/time-zone.ts";
import { formatInstant, formatNumber } from "../format.ts";
import { IdeaLinks } from "../idea-links.tsx";
import type { PageContext } from "../page.ts";

type ReadBrief = z.output<typeof TrendBrief>;

interface BriefProps {
  c: PageContext;
  brief: ReadBrief;
}

export const Brief: FC<BriefProps> = ({ c, brief }) => (
  <>
    <Hooks c={c} brief={brief} />
    <Videos c={c} brief={brief} />
    <div class="charts">
      <Hashtags c={c} brief={brief} />
      <Sounds brief={brief} />
      <Hours c={c} brief={brief} />
      <Creators brief={brief} />
    </div>
  </>
);

/** A hook ends with how many openings have it. */
const EVIDENCE = / \((\d+ of the \d+ strongest openings)\)\.$/;

const Hooks: FC<BriefProps> = ({ c, brief: { keyword, recommendations } }) =>
  recommendations.hook_angles.length === 0 ? null : (
    <section>
      <h2>Ways to open</h2>
      <details class="help">
        <summary>What is a hook?</summary>
        <p>
          The first words or seconds of a video, which decide whether people stay. These are kinds of them, not quotes.
        </p>
      </details>
      <ul class="records ideas">
        {recommendations.hook_angles.map((angle) => {
          const idea = angle.replace(EVIDENCE, "");
          const [, evidence] = EVIDENCE.exec(angle) ?? [];
          return (
            <li class="card record">
              <div>
                <p>{idea}</p>
                {evidence && <p class="hint">{evidence}</p>}
              </div>
              <div class="row">
                <IdeaLinks
                  c={c}
                  caption={withHashtags(idea, recommendations.hashtags)}
                  prompt={`A slideshow about ${keyword}. ${idea}.`}
                  about={idea}
                />
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );

const MAX_HASHTAGS = 5;

const withHashtags = (text: string, hashtags: readonly string[]): string =>
  [text, hashtags.slice(0, MAX_HASHTAGS).join(" ")].filter(Boolean).join("\n\n");

const Videos: FC<BriefProps> = ({ c, brief: { keyword, evidence } }) =>
  evidence.sample_videos.length === 0 ? null : (
    <section>
      <h2>Most viewed videos</h2>
      <ol class="records ideas">
        {evidence.sample_videos.map((video) => (
          <li class="card record">
            <div>
              <p class="line">
                @{video.author_handle} · {formatInstant(new Date(video.published_at), c.var.timeZone)}
                {video.match === "broader" && <span class="badge">with some of the words only</span>}
              </p>
              <p class="words">{video.caption || "Without words"}</p>
              <p class="line">
                {formatNumber(video.views)} views · {formatNumber(video.likes)} likes · {formatNumber(video.comments)}{" "}
                comments · {formatNumber(video.shares)} shares
                {video.sound_name && ` · sound: ${video.sound_name}`}
              </p>
            </div>
            <div class="row">
              <a class="button" href={video.url} rel="noreferrer" target="_blank">
                Open on TikTok<span class="visually-hidden">: video of {video.author_handle}</span>
              </a>
              <IdeaLinks
                c={c}
                caption={video.caption || null}
                prompt={video.caption ? `A slideshow about ${keyword}, in the way of “${video.caption}”.` : null}
                about={`from the video of ${video.author_handle}`}
              />
            </div>
          </li>
        ))}
      </ol>
    </section>
  );

const Hashtags: FC<BriefProps> = ({ c, brief: { keyword, summary, recommendations } }) => {
  const all = recommendations.hashtags.join(" ");
  return (
    <Table
      title="Hashtags"
      columns={["Hashtag", "Videos", "Views each"]}
      rows={summary.top_hashtags.map((one) => [`#${one.hashtag}`, one.videos_count, one.avg_views])}
    >
      <div class="row">
        <button type="button" data-copy={all}>
          Copy the first {recommendations.hashtags.length}
        </button>
        <IdeaLinks
          c={c}
          caption={withHashtags(keyword, recommendations.hashtags)}
          prompt={null}
          about="with these hashtags"
        />
      </div>
    </Table>
  );
};

const Sounds: FC<{ brief: ReadBrief }> = ({ brief: { summary } }) => (
  <Table
    title="Sounds"
    columns={["Sound", "Videos", "Views each"]}
    rows={summary.top_sounds.map(({ sound_name, sample_url, usage_count, avg_views }) => [
      sample_url ? (
        <a href={sample_url} rel="noreferrer" target="_blank">
          {sound_name || "Without a name"}
        </a>
      ) : (
        sound_name || "Without a name"
      ),
      usage_count,
      avg_views,
    ])}
  />
);

const Creators: FC<{ brief: ReadBrief }> = ({ brief: { summary } }) => (
  <Table
    title="Creators"
    columns={["Account", "Videos", "Views each"]}
    rows={summary.top_creators.map(({ handle, top_video_url, videos_count, avg_views }) => [
      <a href={top_video_url} rel="noreferrer" target="_blank">
        @{handle}
      </a>,
      videos_count,
      avg_views,
    ])}
  />
);

const Hours: FC<BriefProps> = ({ c, brief: { summary, generated_at } }) => (
  <Table
    title="When they were posted"
    note={`In ${c.var.timeZone}, as its clock is now.`}
    columns={["Hour", "Videos", "Views each"]}
    rows={summary.posting_windows_utc.map(({ day_of_week_utc, hour_utc, videos_count, avg_views }) => [
      describeHour(new Date(generated_at), day_of_week_utc, hour_utc, c.var.timeZone),
      videos_count,
      avg_views,
    ])}
  />
);

/** An hour of the week in UTC, counted from Sunday, as the clock of the person has it. */
function describeHour(now: Date, weekday: number, hour: number, timeZone: string): string {
  const at = new Date(now);
  at.setUTCHours(hour, 0, 0, 0);
  at.setUTCDate(at.getUTCDate() + ((weekday - at.getUTCDay() + 7) % 7));
  const day = formatDate(at, timeZone, { weekday: "long" });
  return `${day} from ${toWallClock(at, timeZone).slice(11, 16)}`;
}

interface TableProps {
  title: string;
  note?: string;
  columns: readonly string[];
  rows: readonly (readonly [Child, number, number])[];
  children?: Child;
}

const Table: FC<TableProps> = ({ title, note, columns, rows, children }) =>
  rows.length === 0 ? null : (
    <section class="card">
      <h2>{title}</h2>
      {note && <p class="hint">{note}</p>}
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col">{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, videos, views]) => (
            <tr>
              <td class="words">{name}</td>
              <td>{formatNumber(videos)}</td>
              <td>{formatNumber(views)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </section>
  );
