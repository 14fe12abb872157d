// The simulated networks by name.
import type { Platform } from "../../shared/platforms.ts";
import type { NetworkName } from "../outcomes.ts";
import { withAnalytics } from "./analytics/with-analytics.ts";
import { simulateBluesky } from "./bluesky.ts";
import type { NetworkContext } from "./context.ts";
import { simulateFacebook } from "./facebook.ts";
import { type HostedOptions, simulateHosted } from "./hosted.ts";
import { simulateInstagram } from "./instagram.ts";
import { simulateLinkedIn } from "./linkedin.ts";
import type { SimulatedNetwork } from "./network.ts";
import { simulatePinterest } from "./pinterest.ts";
import { simulateThreads } from "./threads.ts";
import { simulateTikTok } from "./tiktok.ts";
import { simulateTwitter } from "./twitter.ts";
import { simulateYouTube } from "./youtube.ts";

const NETWORKS: Readonly<Record<Platform, (context: NetworkContext) => SimulatedNetwork>> = {
  tiktok: simulateTikTok,
  instagram: simulateInstagram,
  threads: simulateThreads,
  facebook: simulateFacebook,
  youtube: simulateYouTube,
  linkedin: simulateLinkedIn,
  twitter: simulateTwitter,
  bluesky: simulateBluesky,
  pinterest: simulatePinterest,
};

export function openNetwork(name: NetworkName, context: NetworkContext, hosted: HostedOptions): SimulatedNetwork {
  return withAnalytics(context, name === "hosted" ? simulateHosted(context, hosted) : NETWORKS[name](context));
}
