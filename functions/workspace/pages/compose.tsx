// The composer: files, caption, accounts and settings. Its script calls operations of the API; nothing here writes.
import type { FC } from "hono/jsx";
import { listAccounts } from "../../../lib/queries/accounts.ts";
import { AccountChoice } from "../compose/accounts.tsx";
import { checkPosts } from "../compose/check.tsx";
import { sendCreator } from "../compose/creator.ts";
import { PostExtras } from "../compose/extras.tsx";
import { loadContent, type OpenedContent } from "../compose/load-content.ts";
import { MediaCard } from "../compose/media.tsx";
import { AccountDifferences } from "../compose/network-settings.tsx";
import { TikTokConsent } from "../compose/tiktok.tsx";
import { sendTime, WhenCard } from "../compose/when.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";

async function showComposer(c: PageContext): Promise<Response> {
  const { services, workspace, timeZone } = c.var;
  const [all, content] = await Promise.all([listAccounts(services.db, workspace.actor.scope, "all"), loadContent(c)]);
  // A draft keeps its accounts while they are paused or disconnected.
  const accounts = all.filter(({ id, status }) => status === "active" || content.accountIds.has(id));
  const base = `/dashboard/${workspace.id}`;
  const isDraft = content.drafts.length > 0;
  return c.html(
    <Layout
      c={c}
      title={isDraft ? "Edit draft" : "New post"}
      active="compose"
      scripts={["compose"]}
      needsScript="Writing a post"
    >
      {accounts.length === 0 ? (
        <Empty title="No accounts yet">
          <p>A post goes to accounts. Connect the first one, then write it here.</p>
          <p>
            <a class="button primary" href={`${base}/accounts`}>
              Connect an account
            </a>
          </p>
        </Empty>
      ) : (
        <form
          id="composer"
          class="composer"
          method="post"
          autocomplete="off"
          data-base={base}
          {...describeContent(content)}
        >
          <AccountChoice accounts={accounts} chosen={content.accountIds} />
          <div class="write">
            <KeptText />
            <MediaCard />
            <div class="card stack wide">
              <label for="caption">Caption</label>
              <textarea id="caption" name="caption" rows={6} required>
                {content.caption}
              </textarea>
              <ul id="counts" class="counts" aria-label="Length of the caption per network" />
            </div>
            <PostExtras fields={content.kept.fields.others} />
            <WhenCard {...content} timeZone={timeZone} now={c.var.now} />
            <AccountDifferences accounts={accounts} chosen={content.accountIds} kept={content.kept} />
          </div>
          <div class="choose">
            <section class="card" id="result" aria-label="Check" hidden />
            <p id="result-note" role="status" class="visually-hidden" />
            <div class="submit">
              <TikTokConsent />
              <p id="save-state" class="hint" role="status">
                {isDraft && "Saved"}
              </p>
              <p id="ask" class="hint" hidden={content.drafts.length !== 1}>
                <a href={`${base}/posts/${content.drafts[0]?.id ?? ""}`}>Ask somebody to approve it</a>
              </p>
              <button type="submit" value="check">
                Save and check
              </button>
              <button type="submit" class="primary" value="publish" id="publish">
                Publish
              </button>
              <p id="problem" role="alert" class="problem" />
            </div>
          </div>
          <ConflictDialog />
        </form>
      )}
    </Layout>,
  );
}

/** For the script, which fills fields, lists media and saves drafts. */
function describeContent({ drafts, media, tiktok, pinterest, settings, kept }: OpenedContent): Record<string, string> {
  return {
    "data-drafts": JSON.stringify(drafts),
    "data-media": JSON.stringify(media),
    "data-tiktok": JSON.stringify(tiktok),
    "data-kept": JSON.stringify(kept),
    "data-settings": JSON.stringify({ ...settings, ...(pinterest ? { pinterest } : {}) }),
  };
}

/** Offers what an earlier visit could not save. */
const KeptText: FC = () => (
  <section id="kept" class="notice kept" aria-label="Text that was not saved" hidden>
    <p>
      This browser has a post that was not saved: <q id="kept-text" />
    </p>
    <p class="row">
      <button type="button" id="kept-restore">
        Bring it back
      </button>
      <button type="button" class="quiet" id="kept-discard">
        Discard it
      </button>
    </p>
  </section>
);

/** Shows what another window saved beside one's own text. */
const ConflictDialog: FC = () => (
  <dialog id="conflict" class="large" aria-labelledby="conflict-title">
    <h2 id="conflict-title">This draft was changed in another window</h2>
    <p>Nothing is overwritten until you choose.</p>
    <div class="versions">
      <section aria-labelledby="conflict-own">
        <h3 id="conflict-own">Here</h3>
        <dl class="facts" id="conflict-own-facts" />
      </section>
      <section aria-labelledby="conflict-other">
        <h3 id="conflict-other">In the other window</h3>
        <dl class="facts" id="conflict-other-facts" />
      </section>
    </div>
    <p class="row">
      <button type="button" id="conflict-take">
        Take the other version
      </button>
      <button type="button" class="primary" id="conflict-keep">
        Keep what is here
      </button>
    </p>
  </dialog>
);

export const composePages: Page[] = [
  { id: "posts.compose", method: "GET", path: "/compose", role: "editor", handle: showComposer },
  { id: "posts.check", method: "POST", path: "/compose/check", role: "editor", handle: checkPosts },
  { id: "posts.time", method: "GET", path: "/compose/time", role: "editor", handle: sendTime },
  { id: "posts.creator", method: "GET", path: "/compose/creators/:accountId", role: "editor", handle: sendCreator },
];
