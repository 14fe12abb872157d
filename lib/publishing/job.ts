// From a claimed row to its driver and what that works with: content for its network, and a connection with a fresh token.
import type { World } from "../call.ts";
import { fetchGuarded } from "../guard.ts";
import { HOSTED_CALLBACK_PATH } from "../paths.ts";
import { hosted } from "../platforms/hosted/driver.ts";
import { drivers } from "../platforms/index.ts";
import type { Carrier, Connection, Content, Job, MediaFile, NetworkConfig } from "../platforms/platform.ts";
import { failure, failureOf } from "../platforms/platform.ts";
import * as deliveries from "../queries/deliveries.ts";
import { seal, unseal } from "../secrets.ts";
import { insist, settle } from "../settle.ts";
import { contentFor } from "./content.ts";

type Io = Pick<World, "db" | "env" | "fetch" | "clock" | "resolveHost">;

/** What it takes to speak as an account, for publishing and for whoever else has to. */
type TokenIo = Pick<World, "db" | "env" | "fetch" | "clock">;

/** A token that dies within this is traded before it is used. */
const EXPIRY_MARGIN_MS = 5 * 60 * 1000;

type Account = deliveries.Claimed["account"];

/** The driver of the account's network, or for a hosted account its fleet; null when nobody serves the network. */
export function carrierOf({ env }: Io, { type, platform, username }: Account): Carrier | null {
  if (type === "byo") return drivers[platform] ?? null;
  const callbackUrl = env.PUBLIC_URL ? new URL(HOSTED_CALLBACK_PATH, env.PUBLIC_URL).href : null;
  return hosted({ platform, username, callbackUrl });
}

/** `traded` says that the token is new already, so that a network which refuses it is not asked for another. */
export async function openJob(
  io: Io,
  driver: Carrier,
  claimed: deliveries.Claimed,
  signal: AbortSignal,
): Promise<{ job: Job; traded: boolean }> {
  const { account } = claimed;
  const job: Job = {
    deliveryId: claimed.id,
    content: contentOf(claimed),
    connection: await connectionOf(io, account),
    network: networkOf(io, account),
    fetch: (input, init) => io.fetch(input, { ...init, signal: both(signal, init?.signal) }),
    fetchMedia: (url, init) => {
      const guard = { fetch: io.fetch, resolveHost: io.resolveHost, allowedHosts: io.env.allowedHosts };
      return fetchGuarded(guard, url, { ...init, signal: both(signal, init.signal) });
    },
    now: io.clock,
  };
  if (!expiresSoon(io, account)) return { job, traded: false };
  return { job: await renewed(io, driver, claimed, job), traded: true };
}

export async function connectionOf(io: Pick<World, "env">, account: Account): Promise<Connection> {
  return { accountId: account.id, externalId: account.externalId, accessToken: await accessTokenOf(io, account) };
}

/** A hosted account has no token here: the calls to its fleet are signed instead. */
async function accessTokenOf({ env }: Pick<World, "env">, account: Account): Promise<string> {
  if (account.type === "hosted") return "";
  if (!account.accessToken) throw tokenDead(account.platform, "No access token is stored for the account.");
  return unseal(env.TOKEN_KEY, account.accessToken);
}

export function expiresSoon({ clock }: Pick<World, "clock">, account: Account): boolean {
  if (account.type === "hosted" || !account.tokenExpiresAt) return false;
  return account.tokenExpiresAt.getTime() - clock().getTime() < EXPIRY_MARGIN_MS;
}

function networkOf({ env }: Io, { type, platform }: Account): NetworkConfig {
  if (type === "byo") return env.networks[platform];
  if (env.fleet) return env.fleet;
  const message =
    "Publishing to hosted accounts is not set up on this service. Ask its operator to set it up, then retry the post.";
  throw failure({ class: "account", code: "hosted_unavailable", message });
}

function both(lease: AbortSignal, own: AbortSignal | null | undefined): AbortSignal {
  return own ? AbortSignal.any([lease, own]) : lease;
}

/** Trades the refresh token, under the account's lease. A refusal of the network is of class `auth`: the token is dead. */
export async function renewed<Connected extends Pick<Job, "network" | "connection">>(
  io: TokenIo,
  driver: Pick<Carrier, "refresh">,
  { account }: Pick<deliveries.Claimed, "account">,
  job: Connected,
): Promise<Connected> {
  const { accessToken } = job.connection;
  const refreshToken = account.refreshToken ? await unseal(io.env.TOKEN_KEY, account.refreshToken) : null;
  const traded = await trade(io, driver, job, account.platform, { accessToken, refreshToken });
  const sealed = {
    accessToken: await seal(io.env.TOKEN_KEY, traded.accessToken),
    refreshToken: traded.refreshToken ? await seal(io.env.TOKEN_KEY, traded.refreshToken) : null,
  };
  const { id, tokenVersion } = account;
  const save = () => deliveries.saveTokens(io.db, id, tokenVersion, { ...sealed, expiresAt: traded.expiresAt });
  // A network that rotates refresh tokens has ended the old one: this one must not be lost to a moment's fault.
  if (!(await settle(save())).ok) await insist(save);
  Object.assign(account, {
    accessToken: sealed.accessToken,
    refreshToken: sealed.refreshToken ?? account.refreshToken,
    tokenExpiresAt: traded.expiresAt,
    tokenVersion: account.tokenVersion + 1,
  });
  return { ...job, connection: { ...job.connection, accessToken: traded.accessToken } };
}

async function trade(
  io: TokenIo,
  driver: Pick<Carrier, "refresh">,
  job: Pick<Job, "network">,
  platform: string,
  tokens: { accessToken: string; refreshToken: string | null },
) {
  try {
    return await driver.refresh(job.network, tokens, { fetch: io.fetch, now: io.clock });
  } catch (error) {
    const failed = failureOf(error);
    if (!failed || ["transient", "unanswered", "rate_limited"].includes(failed.class)) throw error;
    throw tokenDead(platform, failed.message);
  }
}

/** The code that tells a dead connection from a token that only has to be traded. */
export const RECONNECT = "reconnect_required";

function tokenDead(platform: string, why: string) {
  const message = `${platform} no longer accepts the account's token. Connect the account again, then retry. (${why})`;
  return failure({ class: "auth", code: RECONNECT, message });
}

/** A file of the scope speaks for itself; of any other URL only the caller's hints are known. */
function contentOf({ post, account, files }: deliveries.Claimed): Content {
  return contentFor(account.platform, post, (url) => files.find((file) => file.url === url) ?? hinted(url, post.media));
}

function hinted(url: string, hints: deliveries.Claimed["post"]["media"]): MediaFile {
  const number = (hint: unknown) => (typeof hint === "number" ? hint : null);
  const seconds = number(hints?.duration_seconds);
  return {
    url,
    mimeType: typeof hints?.mime_type === "string" ? hints.mime_type : null,
    bytes: number(hints?.bytes),
    durationMs: seconds === null ? null : seconds * 1000,
    width: number(hints?.width),
    height: number(hints?.height),
  };
}
