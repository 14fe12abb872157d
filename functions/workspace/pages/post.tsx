// One post: its content, its state on each account, and every step on the way there.
import type { FC } from "hono/jsx";
import { listApprovalLinks } from "../../../lib/queries/approvals.ts";
import { listAuditEntries } from "../../../lib/queries/audit.ts";
import { findQueuedPost } from "../../../lib/queries/queue.ts";
import { readAll } from "../../../lib/queries/read.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import type { PostStatus } from "../../../lib/shared/post-status.ts";
import { describeClockChange, hasSeconds, toWallClock } from "../../../lib/shared/time-zone.ts";
import { formatInstant } from "../format.ts";
import { Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { hasRole, PageError } from "../session.ts";
import { Approvals } from "./approvals.tsx";
import { DeliveryState, MOVING, StatusBadge, Thumbnail } from "./post-states.tsx";
import { PostStory } from "./post-story.tsx";
import { PostActions } from "./queue.tsx";
import { PublishedActions } from "./takedown.tsx";

const MAX_CHANGES = 100;
/** A post in another state changes only by what a person does. */
const CHANGING: readonly PostStatus[] = [...MOVING, "scheduled"];

async function showPost(c: PageContext): Promise<Response> {
  const { services, workspace, timeZone, now } = c.var;
  const id = c.req.param("postId") ?? "";
  const [found, links, changes] = isUuid(id)
    ? await readAll(services.db, [
        findQueuedPost(services.db, workspace.id, id),
        listApprovalLinks(services.db, workspace.actor.scope, id),
        listAuditEntries(services.db, workspace.id, { recordId: id, limit: MAX_CHANGES }),
      ])
    : [null, [], []];
  if (!found) throw new PageError(404, "There is no such post in this workspace.");
  const { post } = found;
  const at = post.scheduledAt ?? post.createdAt;
  const wallClock = toWallClock(at, timeZone);
  const facts: [string, string][] = [
    [
      post.scheduledAt ? (post.status === "draft" ? "Planned for" : "Scheduled for") : "Created",
      `${formatInstant(at, timeZone)} (${timeZone})`,
    ],
    ["Made by", post.metadata.source === "dashboard" ? "Dashboard" : "API"],
  ];
  const references: [string, string][] = [
    ...(post.externalId ? ([["External id", post.externalId]] as [string, string][]) : []),
    ["Id", post.id],
  ];
  return c.html(
    <Layout
      c={c}
      title="Post"
      active="queue"
      scripts={["queue"]}
      actions={hasRole(workspace.role, "editor") && <PostActions c={c} post={post} from="post" />}
    >
      <div id="live" data-interval={CHANGING.includes(post.status) ? "3000" : undefined}>
        <div class="detail">
          <Thumbnail media={post.media} large />
          <div>
            <p>
              <StatusBadge status={post.status} />
            </p>
            <p class="caption" dir="auto">
              {post.caption}
            </p>
            <dl class="facts">
              <Facts facts={facts} />
            </dl>
            <details class="help">
              <summary>For your developers</summary>
              <dl class="facts">
                <Facts facts={references} />
              </dl>
            </details>
          </div>
        </div>
        {post.status === "scheduled" && hasRole(workspace.role, "editor") && (
          <form class="row move" method="post" action={`/dashboard/${workspace.id}/posts/${post.id}/reschedule`}>
            <label for="at">Move to ({timeZone})</label>
            <input
              id="at"
              name="at"
              type="datetime-local"
              required
              value={wallClock}
              step={hasSeconds(wallClock) ? "any" : undefined}
              aria-describedby="at-note"
            />
            <input type="hidden" name="zone" value={timeZone} />
            <button type="submit">Move</button>
            <span id="at-note" class="hint">
              {describeClockChange(wallClock, at, timeZone)}
            </span>
          </form>
        )}
        {post.media?.type === "slideshow" && post.media.urls.length > 1 && (
          <ul class="slides" aria-label="Slides">
            {post.media.urls.map((url, at) => (
              <li>
                <img src={url} alt={`Slide ${at + 1}`} loading="lazy" />
              </li>
            ))}
          </ul>
        )}
        <section>
          <h2>Accounts</h2>
          <ul class="deliveries card" data-moving={MOVING.includes(post.status) ? "true" : undefined}>
            {post.deliveries.map((delivery) => (
              <DeliveryState
                delivery={delivery}
                ownCaption={post.overrides.find(({ account_id }) => account_id === delivery.accountId)?.caption}
                now={now}
                timeZone={timeZone}
              />
            ))}
          </ul>
        </section>
      </div>
      {hasRole(workspace.role, "editor") && <PublishedActions c={c} post={post} />}
      <Approvals c={c} post={post} links={links ?? []} />
      <PostStory found={found} changes={changes} timeZone={timeZone} now={now} />
      <p class="pager">
        <a href={`/dashboard/${workspace.id}/events?object=${post.id}`}>Events of this post</a>
      </p>
    </Layout>,
  );
}

const Facts: FC<{ facts: [string, string][] }> = ({ facts }) => (
  <>
    {facts.map(([name, value]) => (
      <>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </>
    ))}
  </>
);

export const postPages: Page[] = [
  { id: "posts.show", method: "GET", path: "/posts/:postId", role: "viewer", handle: showPost },
];
