// The audit log: who changed what, newest first.
import { listAuditEntries } from "../../../lib/queries/audit.ts";
import { formatInstant } from "../format.ts";
import { Pager } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";

const PAGE_SIZE = 100;

async function showAudit(c: PageContext): Promise<Response> {
  const { services, workspace, timeZone } = c.var;
  const before = Number(c.req.query("before"));
  const entries = await listAuditEntries(services.db, workspace.id, {
    before: Number.isSafeInteger(before) && before > 0 ? before : undefined,
    limit: PAGE_SIZE,
  });
  const last = entries.length === PAGE_SIZE ? entries.at(-1) : undefined;
  return c.html(
    <Layout c={c} title="Audit log" active="audit">
      <p class="lead">
        Every change that a person or an API key made here. What the service does on its own is on the post.
      </p>
      {entries.length === 0 ? (
        <Empty title="No changes yet">
          <p>The next change to a post, a key, a member or an account appears here.</p>
        </Empty>
      ) : (
        <section class="scroll" tabindex={0} aria-label="Changes">
          <table class="stacked">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Who</th>
                <th scope="col">Change</th>
                <th scope="col">Record</th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <tr>
                  <td>
                    <time datetime={entry.at.toISOString()}>{formatInstant(entry.at, timeZone)}</time>
                  </td>
                  <td>
                    {entry.actorName}{" "}
                    {entry.actorKind !== "member" && <span class="hint">{ACTOR_WORDS[entry.actorKind]}</span>}
                  </td>
                  <td>{describeAction(entry.action)}</td>
                  <td>
                    {entry.noun === "posts" ? (
                      <a href={`/dashboard/${workspace.id}/posts/${entry.recordId}`}>
                        <code>{entry.recordId}</code>
                      </a>
                    ) : (
                      <code>{entry.recordId}</code>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {last && <Pager query={{ before: String(last.id) }}>Earlier changes</Pager>}
    </Layout>,
  );
}

const ACTOR_WORDS = { key: "key", grant: "grant", link: "by a link" } as const;

const VERBS: Record<string, string> = {
  "posts.create": "created a post",
  "posts.prepare": "prepared a draft",
  "posts.commit": "scheduled or published a draft",
  "posts.update": "changed a post",
  "posts.retry": "retried a post",
  "posts.delete": "deleted a post",
  "posts.unpublish": "took a post down",
  "posts.edit-published": "changed a published post",
  "approvals.create": "asked for an approval",
  "approvals.withdraw": "withdrew an approval link",
  "approvals.approve": "approved a post",
  "approvals.comment": "commented on a post",
  "accounts.create-connect-link": "made a connect link",
  "accounts.delete-connect-link": "withdrew a connect link",
  "accounts.disconnect": "disconnected an account",
  "files.start": "started an upload",
  "files.start-multipart": "started an upload",
  "files.finalize": "uploaded a file",
  "files.complete-multipart": "uploaded a file",
  "files.delete": "deleted a file",
  "folders.create": "made a folder",
  "folders.update": "moved a folder",
  "folders.delete": "deleted a folder",
  "folders.add-items": "put something into a folder",
  "folders.remove-items": "took something out of a folder",
  "packs.create": "made a pack of pictures",
  "packs.update": "changed a pack of pictures",
  "packs.add-image": "added a picture to a pack",
  "packs.remove-image": "removed a picture from a pack",
  "packs.delete": "deleted a pack of pictures",
  "templates.create": "made a template",
  "templates.from-slideshow": "made a template of a slideshow",
  "templates.update": "changed a template",
  "templates.delete": "deleted a template",
  "slideshows.create": "made a slideshow",
  "slideshows.generate": "had a slideshow written",
  "slideshows.regenerate-slide": "had a slide written again",
  "slideshows.duplicate": "copied a slideshow",
  "slideshows.update": "changed a slideshow",
  "slideshows.render": "rendered a slideshow",
  "slideshows.delete": "deleted a slideshow",
  "analytics.create-target": "tracked an account",
  "analytics.update-target": "changed a tracked account",
  "analytics.refresh-target": "refreshed a tracked account",
  "analytics.delete-target": "stopped tracking an account",
  "editor.create": "created a project",
  "editor.update": "changed a project",
  "editor.captions": "added captions",
  "editor.delete": "deleted a project",
  "products.create": "added a product",
  "products.update": "changed a product",
  "products.delete": "deleted a product",
  "webhooks.create": "added a webhook",
  "webhooks.update": "changed a webhook",
  "webhooks.rotate-secret": "rotated the secret of a webhook",
  "webhooks.delete": "deleted a webhook",
  "keys.create": "created an API key",
  "keys.revoke": "revoked an API key",
  "keys.rotate": "rotated an API key",
  "grants.create": "let an app use the workspace",
  "grants.end": "ended the access of an app",
  "grants.revoke": "gave up its access",
  "grants.replay": "lost its access: its code was used twice",
  "grants.reuse": "lost its access: an old refresh token was used again",
  "members.invite": "invited a member",
  "members.withdraw": "withdrew an invitation",
  "members.accept": "joined the workspace",
  "members.decline": "declined an invitation",
  "members.change-role": "changed a role",
  "members.remove": "removed a member",
};

/** In words; what has none yet is shown by its id. */
export function describeAction(action: string): string {
  return VERBS[action] ?? action;
}

export const auditPages: Page[] = [
  { id: "audit.show", method: "GET", path: "/audit", role: "admin", handle: showAudit },
];
