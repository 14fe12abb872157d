// Fields beyond caption and media, if a chosen account takes them: first comment, thread, card of a link.
import type { FC } from "hono/jsx";
import type { KeptFields } from "./kept-content.ts";

const CARD_CHOICES = [
  ["", "Of the last link in the caption"],
  ["page", "Of another page"],
  ["none", "No card"],
] as const;

export const PostExtras: FC<{ fields: KeptFields }> = ({ fields: { first_comment: comment, thread, link } }) => {
  const card = link === undefined ? "" : link === null ? "none" : "page";
  return (
    <details class="card extras" id="extras" open={[comment, thread, link].some((one) => one !== undefined)} hidden>
      <summary>First comment, thread and link card</summary>
      <div class="stack wide" data-needs="firstComment">
        <label for="first-comment">First comment</label>
        <textarea id="first-comment" rows={2} aria-describedby="first-comment-for">
          {comment}
        </textarea>
        <p class="hint" id="first-comment-for" />
      </div>
      <div class="stack wide" data-needs="linkCard">
        <label for="link-card">Link card</label>
        <select id="link-card" aria-describedby="link-card-for">
          {CARD_CHOICES.map(([value, text]) => (
            <option value={value} selected={value === card}>
              {text}
            </option>
          ))}
        </select>
        <input type="hidden" id="link-given" value={card} />
        <div class="stack wide" id="link-page" hidden={card !== "page"}>
          <label for="link-url">Address of the page</label>
          <input id="link-url" type="url" value={link?.url} />
          <label for="link-title">Title</label>
          <input id="link-title" type="text" maxlength={300} value={link?.title} placeholder="That of the page" />
        </div>
        <p class="hint" id="link-card-for" />
      </div>
      <div class="stack wide" data-needs="thread">
        <strong>Thread</strong>
        <input type="hidden" id="thread" value={thread ? JSON.stringify(thread) : ""} />
        <ol id="thread-parts" class="thread" aria-label="Parts below the post" />
        <p class="row">
          <button type="button" id="thread-add">
            Add a part
          </button>
        </p>
        <p class="hint" id="thread-for" />
      </div>
    </details>
  );
};
