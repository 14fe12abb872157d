// Removes a member: the page says what ends with the membership, and offers the keys that the member made.
import {
  type EndedAccess,
  findRemovableMember,
  type MemberIds,
  removeMember,
} from "../../../lib/queries/member-access.ts";
import { formatDistance } from "../format.ts";
import { Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { finishAction, openAudited, PageError, requireId } from "../session.ts";

const UNKNOWN = "There is no such member in this workspace, or it is the owner.";

async function showRemoval(c: PageContext): Promise<Response> {
  const { services, workspace, now } = c.var;
  const member = await findRemovableMember(services.db, requireOtherMember(c), now);
  if (!member) throw new PageError(404, UNKNOWN);
  return c.html(
    <Layout c={c} title={`Remove ${member.email}`} active="members">
      <form method="post" class="stack card">
        <p>
          This person sees nothing of {workspace.name} any more. Approval links, connect links, invitations and the
          access of apps that they gave end at once. Posts stay, and those that are scheduled are published.
        </p>
        {member.keys.length > 0 && (
          <fieldset>
            <legend>API keys that this person made, and may have copied</legend>
            {member.keys.map(({ publicId, name, lastUsedAt }) => (
              <label class="check">
                <input type="checkbox" name="revoke" value={publicId} checked /> Revoke {name}{" "}
                <span class="hint">
                  {publicId} · {lastUsedAt ? `last used ${formatDistance(lastUsedAt, now)}` : "never used"}
                </span>
              </label>
            ))}
            <p class="hint">A server that uses a revoked key gets 401. Rotate the key first if it must go on.</p>
          </fieldset>
        )}
        <div class="row">
          <button type="submit" class="danger">
            Remove
          </button>
          <a class="button" href={`/dashboard/${workspace.id}/members`}>
            Cancel
          </a>
        </div>
      </form>
    </Layout>,
  );
}

async function remove(c: PageContext): Promise<Response> {
  const ids = requireOtherMember(c);
  const { revoke = [] } = await c.req.parseBody({ all: true });
  const keys = [revoke].flat().filter((one) => typeof one === "string");
  const ended = await removeMember(openAudited(c, "members.remove"), ids, { keys, now: c.var.now });
  if (!ended) throw new PageError(404, UNKNOWN);
  const sentences = ["The member is removed, and sees nothing of this workspace any more.", ...describeEnded(ended)];
  return finishAction(c, "members", sentences.join(" "));
}

const NOUNS: Record<keyof EndedAccess, [one: string, several: string]> = {
  approvals: ["approval link", "approval links"],
  connectLinks: ["connect link", "connect links"],
  grants: ["connected app", "connected apps"],
  invitations: ["invitation", "invitations"],
  keys: ["API key", "API keys"],
};

/** `1 approval link and 2 invitations ended.`, if anything did. */
export function describeEnded(ended: EndedAccess): string[] {
  const parts = Object.entries(NOUNS).flatMap(([name, [one, several]]) => {
    const count = ended[name as keyof EndedAccess];
    return count > 0 ? [`${count} ${count === 1 ? one : several}`] : [];
  });
  return parts.length > 0 ? [`${new Intl.ListFormat("en").format(parts)} ended.`] : [];
}

export function requireOtherMember(c: PageContext): MemberIds {
  const memberId = requireId(c, "memberId", "member");
  if (memberId === c.var.session.person.id)
    throw new PageError(409, "You cannot change or remove yourself. Ask another admin.");
  return { workspaceId: c.var.workspace.id, memberId };
}

export const removalPages: Page[] = [
  { id: "members.show-removal", method: "GET", path: "/members/:memberId/remove", role: "admin", handle: showRemoval },
  { id: "members.remove", method: "POST", path: "/members/:memberId/remove", role: "admin", handle: remove },
];
