// The reader of each network.
import type { Platform } from "../../shared/platforms.ts";
import { bluesky } from "./bluesky.ts";
import { facebook } from "./facebook.ts";
import { instagram } from "./instagram.ts";
import { linkedin } from "./linkedin.ts";
import { pinterest } from "./pinterest.ts";
import type { Reader } from "./reader-contract.ts";
import { threads } from "./threads.ts";
import { tiktok } from "./tiktok.ts";
import { twitter } from "./twitter.ts";
import { youtube } from "./youtube.ts";

export const readers: Readonly<Record<Platform, Reader>> = {
  ...{ tiktok, instagram, youtube, twitter, pinterest, threads, linkedin, facebook, bluesky },
};
