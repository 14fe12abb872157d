// Builds what a publisher needs for a claimed delivery: content, connection and network config.
import { createHostedPublisher } from "../platforms/hosted/driver.ts";
import { drivers } from "../platforms/index.ts";
import { selectAccountApp } from "../platforms/issuing-app.ts";
import type { Job, Publisher } from "../platforms/platform.ts";
import { failure } from "../platforms/platform.ts";
import type { ClaimedDelivery } from "../queries/deliveries.ts";
import type { Services } from "../services/context.ts";
import { resolveNetwork } from "../services/network-app.ts";
import { HOSTED_CALLBACK_PATH } from "../shared/paths.ts";
import type { NetworkConfig } from "../shared/platforms.ts";
import { toOutcomeHeaders } from "../simulator/outcomes.ts";
import { buildConnection, type TokenServices } from "./account-token.ts";
import { selectContent } from "./content.ts";
import { fetchPublic } from "./fetch-public.ts";

type Account = ClaimedDelivery["account"];

/** Returns the driver of the network, or the hosted publisher of a hosted account. */
export function getPublisher({ env }: Pick<Services, "env">, { type, platform, username }: Account): Publisher {
  if (type === "byo") return drivers[platform];
  const callbackUrl = env.PUBLIC_URL ? new URL(HOSTED_CALLBACK_PATH, env.PUBLIC_URL).href : null;
  return createHostedPublisher({ platform, username, callbackUrl });
}

/** Builds the job of a publisher: the content for its network, and the account with its token. */
export async function buildJob(
  services: TokenServices,
  claimed: Readonly<Pick<ClaimedDelivery, "id" | "post" | "files">>,
  account: Account,
  signal: AbortSignal,
): Promise<Job> {
  const content = selectContent(claimed.post, account, (url) => claimed.files.find((file) => file.url === url));
  const network = account.type === "hosted" ? account.type : account.platform;
  const forced = services.sandbox ? Object.entries(toOutcomeHeaders(claimed.id, content.caption, network)) : [];
  const withForced = (init: RequestInit | undefined): RequestInit | undefined =>
    forced.length > 0 ? { ...init, headers: [...new Headers(init?.headers), ...forced] } : init;
  return {
    deliveryId: claimed.id,
    content,
    connection: await buildConnection(services, account),
    network: await getNetworkConfig(services, account),
    fetch: (input, init) =>
      services.fetch(input, { ...withForced(init), signal: combineSignals(signal, init?.signal) }),
    fetchMedia: (url, init) => fetchPublic(services, url, { ...init, signal: combineSignals(signal, init.signal) }),
    now: services.clock,
  };
}

export async function getNetworkConfig({ env }: Pick<Services, "env">, account: Account): Promise<NetworkConfig> {
  if (account.type === "byo") {
    return selectAccountApp(await resolveNetwork(env, account.platform, account.app), account);
  }
  if (env.hostedPublisher) return env.hostedPublisher;
  const message =
    "Publishing to hosted accounts is not set up on this service. Ask its operator to set it up, then retry the post.";
  throw failure({ class: "account", code: "hosted_unavailable", message });
}

function combineSignals(lease: AbortSignal, own: AbortSignal | null | undefined): AbortSignal {
  return own ? AbortSignal.any([lease, own]) : lease;
}
