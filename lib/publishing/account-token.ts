// Decrypts the tokens of an account, and refreshes them while holding the account's lease.

import { enqueueByKind } from "../jobs/enqueue.ts";
import { drivers } from "../platforms/index.ts";
import { selectAccountApp } from "../platforms/issuing-app.ts";
import { type Connection, failure, getFailure, type Publisher } from "../platforms/platform.ts";
import { leaseAccount } from "../queries/accounts.ts";
import { type ClaimedDelivery, saveAccountTokens } from "../queries/deliveries.ts";
import { releaseAccount } from "../queries/due-accounts.ts";
import type { Services } from "../services/context.ts";
import { resolveNetwork } from "../services/network-app.ts";
import { type NetworkConfig, PLATFORM_DETAILS, type Platform } from "../shared/platforms.ts";
import { toResult } from "../shared/result.ts";
import { retryInBackground } from "../shared/retry.ts";
import { decryptToken, encryptTokens } from "../shared/token-encryption.ts";
import { fetchPublic } from "./fetch-public.ts";

/** Services needed to use the token of an account. */
export type TokenServices = Pick<
  Services,
  "db" | "env" | "fetch" | "clock" | "resolveHost" | "enqueueDeliveries" | "sandbox" | "waitUntil"
>;

type Account = ClaimedDelivery["account"];

/** A token that expires within this time is refreshed before use. */
const EXPIRY_MARGIN_MS = 5 * 60 * 1000;

/** Longer than a token request can take. */
const TOKEN_LEASE_MS = 60_000;

export async function buildConnection(services: Pick<Services, "env">, account: Account): Promise<Connection> {
  return {
    accountId: account.id,
    externalId: account.externalId,
    accessToken: await decryptAccessToken(services, account),
  };
}

/** A hosted account has no token: requests to the hosted publisher are signed instead. */
async function decryptAccessToken({ env }: Pick<Services, "env">, account: Account): Promise<string> {
  if (account.type === "hosted") return "";
  if (!account.accessToken)
    throw reconnectRequired("No access token is stored for the account. Reconnect the account, then retry.");
  return decryptToken(env.tokenKeys, { accountId: account.id, column: "access_token" }, account.accessToken);
}

export function expiresSoon({ clock }: Pick<Services, "clock">, account: Account): boolean {
  if (account.type === "hosted" || !account.tokenExpiresAt) return false;
  return account.tokenExpiresAt.getTime() - clock().getTime() < EXPIRY_MARGIN_MS;
}

/**
 * The account with a refreshed token, or with the newer one if another worker refreshed it since `account` was read. It ends also
 * if the caller of the request hangs up, since the network may have replaced the tokens by then:
 * https://developers.cloudflare.com/workers/runtime-apis/context/#waituntil, read 2026-11-30.
 */
export function refreshAccountToken(services: TokenServices, account: Account): Promise<Account> {
  const refreshing = refreshUnderLease(services, account);
  services.waitUntil(refreshing.catch(() => undefined));
  return refreshing;
}

async function refreshUnderLease(services: TokenServices, account: Account): Promise<Account> {
  const driver = drivers[account.platform];
  const now = services.clock();
  const leaseToken = crypto.randomUUID();
  const leased = await leaseAccount(services.db, account.id, {
    token: leaseToken,
    now,
    until: new Date(now.getTime() + TOKEN_LEASE_MS),
  });
  if (!leased) {
    throw failure({
      class: "transient",
      code: "account_busy",
      message: "Another operation uses this account. We retry automatically.",
    });
  }
  try {
    const current = { ...account, ...leased };
    if (leased.tokenVersion !== account.tokenVersion) return current;
    return await refreshLeasedAccount(
      services,
      driver,
      current,
      selectAccountApp(await resolveNetwork(services.env, account.platform, current.app), account),
    );
  } finally {
    const due = await releaseAccount(services.db, account.id, leaseToken, services.clock());
    // Messages that arrived during the lease were dropped.
    enqueueByKind(services, due, services.clock());
  }
}

/** Refreshes the token of an account whose lease the caller has. Throws class `auth` when the network rejects the refresh. */
export async function refreshLeasedAccount(
  services: TokenServices,
  publisher: Pick<Publisher, "refresh">,
  account: Account,
  network: NetworkConfig,
): Promise<Account> {
  const accessToken = await decryptAccessToken(services, account);
  const { tokenKeys } = services.env;
  const refresh = { accountId: account.id, column: "refresh_token" } as const;
  const refreshToken = account.refreshToken ? await decryptToken(tokenKeys, refresh, account.refreshToken) : null;
  const tokens = await requestTokens(services, publisher, network, { accessToken, refreshToken });
  const encrypted = await encryptTokens(tokenKeys, account.id, tokens);
  const { id, tokenVersion } = account;
  const refreshedAt = services.clock();
  const { expiresAt, refreshTokenExpiresAt } = tokens;
  const save = () =>
    saveAccountTokens(services.db, id, tokenVersion, {
      ...encrypted,
      ...{ expiresAt, refreshTokenExpiresAt, refreshedAt },
    });
  // The network may have revoked the old refresh token, so the new one is stored again if the database failed.
  if (!(await toResult(save())).ok) await retryInBackground(save);
  return {
    ...account,
    accessToken: encrypted.accessToken,
    refreshToken: encrypted.refreshToken ?? account.refreshToken,
    tokenExpiresAt: expiresAt,
    tokenRefreshedAt: refreshedAt,
    tokenVersion: tokenVersion + 1,
  };
}

/**
 * Codes of responses that do not say whether the consent still stands: the server is busy, or a proxy in front of it responded
 * (https://github.com/soundcloud/api/issues/489). The errors that say so are those of RFC 6749, section 5.2, with status 400 or
 * 401: https://datatracker.ietf.org/doc/html/rfc6749#section-5.2. Both read 2026-11-30.
 */
const UNDECIDED = /(^|_)(http_(?!400|401)\d+|temporarily_unavailable|server_error|use_dpop_nonce)$/;

async function requestTokens(
  services: TokenServices,
  publisher: Pick<Publisher, "refresh">,
  network: NetworkConfig,
  tokens: { accessToken: string; refreshToken: string | null },
) {
  try {
    return await publisher.refresh(network, tokens, {
      fetch: services.fetch,
      fetchMedia: (url, init) => fetchPublic(services, url, init),
      now: services.clock,
    });
  } catch (error) {
    const failed = getFailure(error);
    const isTemporary = ["transient", "unanswered", "rate_limited"].includes(failed?.class ?? "");
    if (!failed || failed.operator || isTemporary) throw error;
    if (UNDECIDED.test(failed.code)) {
      const message = "The network did not respond properly to the refresh of the account's token.";
      throw failure({ class: "transient", code: failed.code, message });
    }
    throw reconnectRequired(failed.message);
  }
}

/** Error code of an account that its owner has to connect again, because a refresh cannot help. */
export const RECONNECT_REQUIRED = "reconnect_required";

function reconnectRequired(message: string) {
  return failure({ class: "auth", code: RECONNECT_REQUIRED, message });
}

/** Error code while a network does not accept a token that it has just issued. */
export const TOKEN_NOT_YET_ACCEPTED = "token_not_yet_accepted";

/** From then on a rejection is final: longer than networks take to accept a new token, with ten minutes of retries. */
const TOKEN_PROPAGATION_MS = 12 * 60_000;

/** Returns true if the token is so new that a rejection may be temporary. */
export function isNewToken({ clock }: Pick<Services, "clock">, { tokenRefreshedAt }: Account): boolean {
  return tokenRefreshedAt !== null && clock().getTime() - tokenRefreshedAt.getTime() < TOKEN_PROPAGATION_MS;
}

export function tokenNotYetAccepted(platform: Platform) {
  const message = `${PLATFORM_DETAILS[platform].name} does not accept the account's new token yet.`;
  return failure({ class: "rate_limited", code: TOKEN_NOT_YET_ACCEPTED, message });
}
