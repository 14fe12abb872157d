// What a caller should know about a post although it is accepted.
import type { PostCreate } from "../schemas/post-body.ts";
import type { Resolved } from "./resolve.ts";

export interface Warning {
  field: string;
  message: string;
  code: string;
}

export function warningsOf(post: PostCreate, { media }: Resolved): Warning[] {
  const warnings: Warning[] = [];
  const warn = (field: string, code: string, message: string) => warnings.push({ field, message, code });
  if (post.music_url) {
    warn(
      "music_url",
      "music_not_attached",
      "TikTok's API attaches no track; choose auto_add_music or add it in the app.",
    );
  }
  if (post.tiktok?.post_mode === "MEDIA_UPLOAD") {
    warn("tiktok.post_mode", "finish_in_app", "The post ends in the app's inbox; a person has to publish it there.");
  }
  for (const [url, facts] of media) {
    if (facts.bytes !== null && facts.width !== null) continue;
    warn(
      "media",
      "facts_unknown",
      `${url} is not a verified file: its size and shape are checked by the network only.`,
    );
  }
  return warnings;
}
