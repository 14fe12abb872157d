// What an account has of its own, as a request has it.
import type { OwnContent, RequestMedia } from "../../compose/kept-content.ts";

interface WrittenContent {
  /** Empty: the post's own. */
  caption: string;
  comment: string;
  /** There is no first comment, whatever the post has. */
  isSilent: boolean;
  /** Undefined: the post's own. */
  media: RequestMedia | null | undefined;
}

export function buildOwnContent({ caption, comment, isSilent, media }: WrittenContent): OwnContent {
  return {
    ...(caption.trim() === "" ? {} : { caption }),
    ...(isSilent ? { first_comment: null } : comment.trim() === "" ? {} : { first_comment: comment }),
    ...(media === undefined ? {} : { media }),
  };
}
