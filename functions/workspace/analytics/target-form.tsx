// The form that adds a tracked account, and one click for each account that is connected already.
import type { FC } from "hono/jsx";
import type { ListedAccount } from "../../../lib/queries/accounts.ts";
import { normalizeHandle } from "../../../lib/schemas/analytics-handle.ts";
import { PLATFORMS } from "../../../lib/shared/platforms.ts";
import { getPlatformName } from "../format.ts";
import type { PageContext } from "../page.ts";
import { PlatformMark } from "../platform-mark.tsx";
import type { TrackedAccount } from "./words.ts";

export interface TargetFields {
  platform: string;
  identifier: string;
  alias: string;
}

/** A form that the operation rejected. */
export interface RejectedTarget {
  fields: TargetFields;
  problem: string;
}

export const TargetForm: FC<{ c: PageContext; rejected?: RejectedTarget | undefined }> = ({ c, rejected }) => {
  const { platform, identifier, alias } = rejected?.fields ?? { platform: "", identifier: "", alias: "" };
  return (
    <form method="post" action={getAction(c)} class="stack">
      {rejected && (
        <p class="notice problem" role="alert" id="target-problem">
          {rejected.problem}
        </p>
      )}
      <label for="target-platform">Network</label>
      <select id="target-platform" name="platform">
        {PLATFORMS.map((network) => (
          <option value={network} selected={network === platform}>
            {getPlatformName(network)}
          </option>
        ))}
      </select>
      <label for="target-identifier">Handle or address of the profile</label>
      <input
        id="target-identifier"
        name="identifier"
        value={identifier}
        required
        maxlength={300}
        placeholder="@north.light"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-describedby={rejected ? "target-problem" : undefined}
      />
      <label for="target-alias">Name here (optional)</label>
      <input id="target-alias" name="alias" value={alias} maxlength={100} autocomplete="off" />
      <button class="primary" type="submit">
        Track this account
      </button>
    </form>
  );
};

export const ConnectedAccounts: FC<{ c: PageContext; accounts: readonly ListedAccount[] }> = ({ c, accounts }) =>
  accounts.length === 0 ? null : (
    <>
      <p>One click for the accounts that are connected:</p>
      <ul class="row suggestions">
        {accounts.map(({ platform, username }) => (
          <li>
            <form method="post" action={getAction(c)}>
              <input type="hidden" name="platform" value={platform} />
              <input type="hidden" name="identifier" value={username} />
              <button type="submit">
                <PlatformMark platform={platform} /> Track {username}
                <span class="visually-hidden"> on {getPlatformName(platform)}</span>
              </button>
            </form>
          </li>
        ))}
      </ul>
    </>
  );

/** Connected accounts that can be tracked and are not. */
export function listTrackable(accounts: readonly ListedAccount[], targets: readonly TrackedAccount[]): ListedAccount[] {
  const tracked = new Set(targets.map(({ platform, normalized_identifier: name }) => `${platform} ${name}`));
  return accounts.filter(
    ({ platform, type, username }) =>
      type === "byo" && !tracked.has(`${platform} ${normalizeHandle(username.replace(/^@/, ""))}`),
  );
}

const getAction = (c: PageContext): string => `/dashboard/${c.var.workspace.id}/analytics/targets`;
