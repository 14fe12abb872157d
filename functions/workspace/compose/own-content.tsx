// Fields for the own content of single accounts: a caption, media, and a first comment where the network has one.
import type { FC } from "hono/jsx";
import { getCapabilities } from "../../../lib/platforms/capabilities.ts";
import type { ListedAccount } from "../../../lib/queries/accounts.ts";
import { getPlatformName } from "../format.ts";
import { PlatformMark } from "../platform-mark.tsx";
import type { KeptContent, OwnContent as Own } from "./kept-content.ts";

export interface OwnContentProps {
  accounts: ListedAccount[];
  chosen: Set<string>;
  kept: KeptContent;
}

export const OwnContent: FC<OwnContentProps> = ({ accounts, chosen, kept }) => (
  <>
    {accounts.map(({ id, platform, type, displayName, grantedScopes }) => {
      const own = kept.accounts[id] ?? {};
      const { firstComment, kinds } = getCapabilities(platform, type, grantedScopes);
      const { first_comment, ...others } = own;
      const isWritten = Object.keys(others).length > 0 || (firstComment !== undefined && first_comment !== undefined);
      return (
        <details class="card" data-own={id} open={isWritten} hidden={!chosen.has(id)}>
          <summary>
            <PlatformMark platform={platform} /> {displayName}{" "}
            <small>
              {getPlatformName(platform)}:{" "}
              {firstComment ? "its own caption, media and comment" : "its own caption and media"}
            </small>
          </summary>
          <Text
            id={`own-caption-${id}`}
            label="Another caption"
            account={displayName}
            text={own.caption ?? ""}
            placeholder="The caption above"
          />
          <OwnMedia id={id} account={displayName} media={own.media} takesText={kinds.includes("text_only")} />
          {firstComment && (
            <>
              <Text
                id={`own-comment-${id}`}
                label="First comment"
                account={displayName}
                text={own.first_comment ?? ""}
                placeholder="The first comment above"
              />
              <label class="check">
                <input type="checkbox" id={`own-silent-${id}`} checked={own.first_comment === null} /> No first comment
                <span class="visually-hidden"> of {displayName}</span>
              </label>
            </>
          )}
        </details>
      );
    })}
  </>
);

interface OwnMediaProps {
  id: string;
  account: string;
  media: Own["media"];
  takesText: boolean;
}

/** The hidden field has the media as a request has them: empty for those of the post. */
const OwnMedia: FC<OwnMediaProps> = ({ id, account, media, takesText }) => {
  const choice = media === undefined ? "" : media === null ? "none" : "own";
  const choices = [
    ["", "The media above"],
    ...(takesText || choice === "none" ? [["none", "Text only"]] : []),
    ["own", "Other files"],
  ] as const;
  return (
    <div class="stack wide">
      <label for={`own-choice-${id}`}>
        Media<span class="visually-hidden"> of {account}</span>
      </label>
      <select id={`own-choice-${id}`}>
        {choices.map(([value, text]) => (
          <option value={value} selected={value === choice}>
            {text}
          </option>
        ))}
      </select>
      <input type="hidden" id={`own-media-${id}`} value={media ? JSON.stringify(media) : ""} />
      <div id={`own-files-${id}`} class="stack wide" hidden />
    </div>
  );
};

interface TextProps {
  id: string;
  label: string;
  account: string;
  text: string;
  placeholder: string;
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
