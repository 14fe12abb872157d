// The posts of the fault suite: one of each content kind that a network supports.
import type { Driver } from "../../lib/platforms/platform.ts";
import type { ContentKind } from "../../lib/schemas/content-kinds.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import type { ThreadPart } from "../../lib/shared/post-content.ts";
import type { PostMedia } from "../../lib/shared/post-media.ts";
import type { MediaHost } from "../platforms/media-host.ts";

/** `long.mp4` has three parts on every network that resumes uploads by their parts. */
export const MEDIA_SIZES = { "clip.mp4": 60_000, "long.mp4": 20_000_077, "a.jpg": 4_000, "b.jpg": 5_000 };

export interface PostKind {
  platform: Platform;
  name: ContentKind | "thread" | "comment" | "thread and comment" | "reel" | "video story" | "photo story";
  media: PostMedia | null;
  thread?: ThreadPart[];
  firstComment?: string;
  /** The account may write comments, and not list them. */
  cannotList?: true;
  settings?: Record<string, Record<string, unknown>>;
}

/** Posts that take several calls which cannot be undone: replies, with and without media, and a first comment. */
export function listPostsWithParts({ platform, capabilities }: Driver, host: MediaHost): PostKind[] {
  const image: PostMedia = { type: "slideshow", urls: [host.url("a.jpg")] };
  const thread: ThreadPart[] = [
    { caption: "The first reply", media: null },
    { caption: "The second reply", media: image },
    { caption: "The third reply", media: null },
  ];
  const firstComment = "The first comment";
  const clip: PostMedia = { type: "video", url: host.url("clip.mp4") };
  const withMedia = capabilities.kinds.includes("single_image") ? image : clip;
  const media = capabilities.kinds.includes("text_only") ? null : withMedia;
  return [
    ...(capabilities.firstComment ? [{ platform, name: "comment" as const, media, firstComment }] : []),
    ...(capabilities.thread ? [{ platform, name: "thread" as const, media, thread }] : []),
    ...(capabilities.thread ? [{ platform, name: "thread and comment" as const, media, thread, firstComment }] : []),
  ];
}

export function listPostKinds({ platform, capabilities }: Driver, host: MediaHost): PostKind[] {
  const media: Record<ContentKind, PostMedia | null> = {
    text_only: null,
    single_image: { type: "slideshow", urls: [host.url("a.jpg")] },
    multi_image: { type: "slideshow", urls: [host.url("a.jpg"), host.url("b.jpg")] },
    single_video: { type: "video", url: host.url("clip.mp4") },
    mixed_carousel: {
      type: "carousel",
      items: [
        { type: "image", url: host.url("a.jpg") },
        { type: "video", url: host.url("clip.mp4") },
      ],
    },
  };
  const kinds: PostKind[] = capabilities.kinds.map((name) => ({ platform, name, media: media[name] }));
  if (platform !== "facebook") return kinds;
  const as = (name: PostKind["name"], post_type: string, kind: ContentKind): PostKind => ({
    ...{ platform, name, media: media[kind], settings: { facebook: { post_type } } },
  });
  return [
    ...kinds,
    as("reel", "reel", "single_video"),
    as("video story", "story", "single_video"),
    as("photo story", "story", "single_image"),
  ];
}
