// The driver of each supported network.

import type { Platform } from "../shared/platforms.ts";
import { bluesky } from "./bluesky/driver.ts";
import { facebook } from "./facebook/driver.ts";
import { instagram } from "./instagram/driver.ts";
import { linkedin } from "./linkedin/driver.ts";
import { pinterest } from "./pinterest/driver.ts";
import type { Driver } from "./platform.ts";
import { threads } from "./threads/driver.ts";
import { tiktok } from "./tiktok/driver.ts";
import { twitter } from "./twitter/driver.ts";
import { youtube } from "./youtube/driver.ts";

export const drivers: Readonly<Record<Platform, Driver>> = {
  instagram,
  tiktok,
  threads,
  youtube,
  linkedin,
  facebook,
  twitter,
  bluesky,
  pinterest,
};
