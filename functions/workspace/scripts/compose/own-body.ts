// What an account has of its own, as a request has it.
import type { OwnContent } from "../../compose/kept-content.ts";

interface WrittenContent {
  /** Empty: the post's own. */
  caption: string;
  /** Null without a field. */
  comment: string | null;
}

/** `shared` is the first comment of the post, which the field shows as long as the account has no other. */
export function buildOwnContent(
  stored: OwnContent | undefined,
  { caption, comment }: WrittenContent,
  shared: string,
): OwnContent {
  const { caption: _, first_comment: before, ...kept } = stored ?? {};
  const next = toComment(before, comment, shared);
  return {
    ...kept,
    ...(caption.trim() === "" ? {} : { caption }),
    ...(next === undefined ? {} : { first_comment: next }),
  };
}

function toComment(before: OwnContent["first_comment"], comment: string | null, shared: string) {
  if (comment === null || comment === ((before === undefined ? shared : before) ?? "")) return before;
  if (comment === shared) return undefined;
  return comment.trim() === "" ? null : comment;
}
