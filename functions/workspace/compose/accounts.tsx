// The accounts that a post can go to, with what the composer's script needs to know of each.
import type { FC } from "hono/jsx";
import { getCapabilities } from "../../../lib/platforms/capabilities.ts";
import type { ListedAccount } from "../../../lib/queries/accounts.ts";
import { getPlatformName } from "../format.ts";
import { PlatformMark } from "../platform-mark.tsx";

export const AccountChoice: FC<{ accounts: ListedAccount[]; chosen: Set<string> }> = ({ accounts, chosen }) => (
  <fieldset class="card">
    <legend>Accounts</legend>
    {accounts.map(({ id, platform, type, username, displayName }) => {
      const { caption, kinds = [], altText } = getCapabilities(platform, type) ?? {};
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
            data-caption={JSON.stringify(caption ?? { limit: 0, unit: "utf16" })}
            data-alt-text={altText && String(altText.limit)}
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
);
