// The accounts that a post can go to, with what the composer's script needs to know of each.
import type { FC } from "hono/jsx";
import { getCapabilities } from "../../../lib/platforms/capabilities.ts";
import type { ListedAccount } from "../../../lib/queries/accounts.ts";
import { getPlatformName } from "../format.ts";
import { ACCOUNT_WORDS } from "../pages/post-states.tsx";
import { PlatformMark } from "../platform-mark.tsx";

export const AccountChoice: FC<{ accounts: ListedAccount[]; chosen: Set<string> }> = ({ accounts, chosen }) => (
  <fieldset class="card">
    <legend>Accounts</legend>
    {accounts.map(({ id, platform, type, username, displayName, status }) => {
      const { caption, kinds, altText, ...more } = getCapabilities(platform, type);
      return (
        <label class="check account">
          <input
            type="checkbox"
            name="account"
            value={id}
            checked={chosen.has(id)}
            data-platform={platform}
            data-type={type}
            data-name={getPlatformName(platform)}
            data-username={username}
            data-inactive={status === "active" ? undefined : ACCOUNT_WORDS[status]}
            data-caption={JSON.stringify(caption)}
            data-alt-text={altText && String(altText.limit)}
            data-kinds={kinds.join(" ")}
            data-takes={["firstComment", "thread", "linkCard"].filter((name) => name in more).join(" ")}
          />
          <PlatformMark platform={platform} />
          <span>
            {displayName}
            <small>
              {" "}
              {getPlatformName(platform)}
              {type === "hosted" && ", hosted"}
              {status !== "active" && <strong>, {ACCOUNT_WORDS[status]}</strong>}
            </small>
          </span>
        </label>
      );
    })}
  </fieldset>
);
