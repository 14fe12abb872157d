// What the fault suite publishes: one post of each kind of content that a network takes.
import type { PostMedia } from "../../drizzle/schema/posts.ts";
import type { Driver, Platform } from "../../lib/platforms/platform.ts";
import type { ContentKind } from "../../lib/platforms/rules.ts";
import type { MediaHost } from "../platforms/media.ts";

export const MEDIA = { "clip.mp4": 60_000, "a.jpg": 4_000, "b.jpg": 5_000 };

export interface Kind {
  platform: Platform;
  name: ContentKind;
  media: PostMedia | null;
}

export function kindsOf({ platform, capabilities }: Driver, host: MediaHost): Kind[] {
  const media: Record<ContentKind, PostMedia | null> = {
    text_only: null,
    single_image: { type: "slideshow", urls: [host.url("a.jpg")] },
    multi_image: { type: "slideshow", urls: [host.url("a.jpg"), host.url("b.jpg")] },
    single_video: { type: "video", url: host.url("clip.mp4") },
  };
  return capabilities.kinds.map((name) => ({ platform, name, media: media[name] }));
}
