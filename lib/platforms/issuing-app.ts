// The app that issued the token of an account, where a deployment has two apps at a network.
import type { NetworkConfig, Platform } from "../shared/platforms.ts";
import { selectIssuingApp } from "./linkedin/apps.ts";

export function selectAccountApp(
  network: NetworkConfig,
  { platform, externalId }: { platform: Platform; externalId: string },
): NetworkConfig {
  return platform === "linkedin" ? selectIssuingApp(network, externalId) : network;
}
