// The connector of each network, apart from the drivers, so that only the Worker with the pages loads it.
import type { Platform } from "../shared/platforms.ts";
import { passwordConnector as blueskyPassword } from "./bluesky/connect.ts";
import { connector as bluesky } from "./bluesky/oauth-connect.ts";
import type { Connector, PasswordConnector } from "./connector.ts";
import { connector as facebook } from "./facebook/connect.ts";
import { connector as instagram } from "./instagram/connect.ts";
import { connector as linkedin } from "./linkedin/connect.ts";
import { connector as pinterest } from "./pinterest/connect.ts";
import { connector as threads } from "./threads/connect.ts";
import { connector as tiktok } from "./tiktok/connect.ts";
import { connector as twitter } from "./twitter/connect.ts";
import { connector as youtube } from "./youtube/connect.ts";

export const connectors: Readonly<Record<Platform, Connector>> = {
  bluesky,
  facebook,
  instagram,
  linkedin,
  pinterest,
  threads,
  tiktok,
  twitter,
  youtube,
};

export const passwordConnectors: Partial<Record<Platform, PasswordConnector>> = { bluesky: blueskyPassword };
