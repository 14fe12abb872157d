// Fields for the own content of single accounts: a caption, and a first comment where the network has one.
import type { FC } from "hono/jsx";
import { getCapabilities } from "../../../lib/platforms/capabilities.ts";
import type { ListedAccount } from "../../../lib/queries/accounts.ts";
import { getPlatformName } from "../format.ts";
import { PlatformMark } from "../platform-mark.tsx";
import type { KeptContent } from "./kept-content.ts";

export interface OwnContentProps {
  accounts: ListedAccount[];
  chosen: Set<string>;
  kept: KeptContent;
}

export const OwnContent: FC<OwnContentProps> = ({ accounts, chosen, kept }) => (
  <>
    {accounts.map(({ id, platform, type, displayName }) => {
      const { caption, first_comment: own } = kept.accounts[id] ?? {};
      const { first_comment: shared } =
        platform === "tiktok" && type === "byo" ? kept.fields.tiktok : kept.fields.others;
      const hasComment = getCapabilities(platform, type)?.firstComment !== undefined;
      return (
        <details
          class="card"
          data-own={id}
          data-comment={shared ?? ""}
          open={caption !== undefined || own !== undefined}
          hidden={!chosen.has(id)}
        >
          <summary>
            {displayName} <small>{getPlatformName(platform)}</small>
            <PlatformMark platform={platform} />
          </summary>
          <Text
            id={`own-caption-${id}`}
            label="Another caption"
            account={displayName}
            text={caption ?? ""}
            placeholder="The caption above"
          />
          {hasComment && (
            <Text
              id={`own-comment-${id}`}
              label="First comment"
              account={displayName}
              text={(own === undefined ? shared : own) ?? ""}
            />
          )}
        </details>
      );
    })}
  </>
);

interface TextProps {
  id: string;
  label: string;
  account: string;
  text: string;
  placeholder?: string;
}

const Text: FC<TextProps> = ({ id, label, account, text, placeholder }) => (
  <div class="stack wide">
    <label for={id}>
      {label}
      <span class="visually-hidden"> of {account}</span>
    </label>
    <textarea id={id} rows={3} placeholder={placeholder}>
      {text}
    </textarea>
  </div>
);
