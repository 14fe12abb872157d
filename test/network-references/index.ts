// The references by network. A network without one is not compared: only the hosted publisher, whose protocol is our own.
import { bluesky } from "./bluesky.ts";
import { consents } from "./consents.ts";
import { facebook } from "./facebook.ts";
import { linkedin } from "./linkedin.ts";
import { instagram, threads } from "./meta.ts";
import { pinterest } from "./pinterest.ts";
import type { Reference } from "./reference.ts";
import { tiktok } from "./tiktok.ts";
import { twitter } from "./twitter.ts";
import { youtube } from "./youtube.ts";

const publishing = [bluesky, facebook, instagram, linkedin, pinterest, threads, tiktok, twitter, youtube];

export const references: ReadonlyMap<string, Reference> = new Map(
  [...publishing, ...consents].map((reference) => [reference.network, reference]),
);
