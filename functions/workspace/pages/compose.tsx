// The composer: files, caption, accounts and settings. Its script calls operations of the API; nothing here writes.
import type { FC } from "hono/jsx";
import { getCapabilities } from "../../../lib/platforms/capabilities.ts";
import { listAccounts } from "../../../lib/queries/accounts.ts";
import { findQueuedPost } from "../../../lib/queries/queue.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import { describeClockChange, hasSeconds, toWallClock } from "../../../lib/shared/time-zone.ts";
import { checkPosts } from "../compose/check.tsx";
import { sendCreator } from "../compose/creator.ts";
import { TikTokConsent, TikTokSettings } from "../compose/tiktok.tsx";
import { getPlatformName } from "../format.ts";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { PlatformMark } from "../platform-mark.tsx";
import { PageError } from "../session.ts";

async function showComposer(c: PageContext): Promise<Response> {
  const { services, workspace, timeZone } = c.var;
  const draftId = c.req.query("draft");
  const [accounts, found] = await Promise.all([
    listAccounts(services.db, workspace.actor.scope, "active"),
    draftId && isUuid(draftId) ? findQueuedPost(services.db, workspace.id, draftId) : null,
  ]);
  if (draftId && found?.post.status !== "draft") throw new PageError(404, "There is no such draft in this workspace.");
  const draft = found?.post ?? null;
  const at = draft?.scheduledAt ?? null;
  const wallClock = at ? toWallClock(at, timeZone) : "";
  const draftAccountIds = new Set(draft?.deliveries.map(({ accountId }) => accountId));
  const base = `/dashboard/${workspace.id}`;
  return c.html(
    <Layout c={c} title={draft ? "Edit draft" : "New post"} active="compose" scripts={["compose"]}>
      {accounts.length === 0 ? (
        <Empty title="No accounts yet">
          <p>
            A post goes to accounts. <a href={`${base}/accounts`}>Connect the first one</a>.
          </p>
        </Empty>
      ) : (
        <form
          id="composer"
          class="composer"
          method="post"
          data-base={base}
          data-draft={draft?.id}
          data-media={draft?.media ? JSON.stringify(draft.media) : undefined}
          data-tiktok={draft?.tiktok ? JSON.stringify(draft.tiktok) : undefined}
          data-pinterest={draft?.pinterest ? JSON.stringify(draft.pinterest) : undefined}
          data-settings={draft ? JSON.stringify(draft.settings) : undefined}
        >
          <div class="write">
            <fieldset class="card">
              <legend class="visually-hidden">Media</legend>
              <label class="drop" id="drop" for="files">
                <strong>Add a video or images</strong>
                <span class="hint">Drop them here, or choose files. An upload resumes after a lost connection.</span>
                <input
                  id="files"
                  type="file"
                  multiple
                  accept="video/mp4,video/quicktime,video/webm,image/jpeg,image/png,image/webp,image/gif,.m4v,.mov,.qt,.jfif"
                />
              </label>
              <ul id="uploads" class="uploads" aria-live="polite" />
            </fieldset>
            <div class="card stack wide">
              <label for="caption">Caption</label>
              <textarea id="caption" name="caption" rows={6} required>
                {draft?.caption ?? ""}
              </textarea>
              <ul id="counts" class="counts" aria-label="Length of the caption per network" />
            </div>
            <TikTokSettings />
            <YouTubeSettings />
            <PinterestSettings />
            <div class="card stack wide">
              <label for="at">When</label>
              <input
                id="at"
                type="datetime-local"
                value={wallClock}
                step={hasSeconds(wallClock) ? "any" : undefined}
                data-stored={at?.toISOString()}
                data-time-zone={timeZone}
                aria-describedby="at-hint at-note"
              />
              <p id="at-hint" class="hint">
                Leave it empty to publish at once. Times are in {timeZone}.
              </p>
              <p id="at-note" class="hint" role="status">
                {at && describeClockChange(wallClock, at, timeZone)}
              </p>
            </div>
          </div>
          <div class="choose">
            <fieldset class="card">
              <legend>Accounts</legend>
              {accounts.map(({ id, platform, type, username, displayName }) => {
                const { caption, kinds = [] } = getCapabilities(platform, type) ?? {};
                return (
                  <label class="check account">
                    <input
                      type="checkbox"
                      name="account"
                      value={id}
                      checked={draftAccountIds.has(id)}
                      data-platform={platform}
                      data-type={type}
                      data-name={getPlatformName(platform)}
                      data-username={username}
                      data-caption={JSON.stringify(caption ?? { limit: 0, unit: "utf16" })}
                      data-kinds={kinds.join(" ")}
                    />
                    <PlatformMark platform={platform} />
                    <span>
                      {displayName}
                      <small>
                        {" "}
                        {getPlatformName(platform)}
                        {type === "hosted" && ", hosted"}
                      </small>
                    </span>
                  </label>
                );
              })}
            </fieldset>
            <section class="card" id="result" aria-label="Check" hidden />
            <p id="result-note" role="status" class="visually-hidden" />
            <div class="submit">
              <TikTokConsent />
              <button type="submit" value="check">
                Save and check
              </button>
              <button type="submit" class="primary" value="publish" id="publish">
                Publish
              </button>
              <p id="problem" role="alert" class="problem" />
            </div>
          </div>
        </form>
      )}
    </Layout>,
  );
}

const YouTubeSettings: FC = () => (
  <fieldset class="card stack wide" data-for="youtube" hidden>
    <legend class="visually-hidden">YouTube</legend>
    <h2>YouTube</h2>
    <label for="youtube-title">Title</label>
    <input id="youtube-title" maxlength={100} placeholder="The first line of the caption" />
    <label for="youtube-privacy">Visibility</label>
    <select id="youtube-privacy">
      <option value="public">Public</option>
      <option value="unlisted">Unlisted</option>
      <option value="private">Private</option>
    </select>
    <label class="check">
      <input type="checkbox" id="youtube-kids" /> Made for kids
    </label>
  </fieldset>
);

const PinterestSettings: FC = () => (
  <fieldset class="card stack wide" data-for="pinterest" hidden>
    <legend class="visually-hidden">Pinterest</legend>
    <h2>Pinterest</h2>
    <label for="pinterest-board">Id of the board</label>
    <input id="pinterest-board" maxlength={128} />
    <label for="pinterest-title">Title</label>
    <input id="pinterest-title" maxlength={100} />
    <label for="pinterest-link">Link</label>
    <input id="pinterest-link" type="url" maxlength={2048} />
  </fieldset>
);

export const composePages: Page[] = [
  { id: "posts.compose", method: "GET", path: "/compose", role: "editor", handle: showComposer },
  { id: "posts.check", method: "POST", path: "/compose/check", role: "editor", handle: checkPosts },
  { id: "posts.creator", method: "GET", path: "/compose/creators/:accountId", role: "editor", handle: sendCreator },
];
