// Connect links: URLs that a customer sends to a person without an account here, who connects social accounts with it.
import { randomBytes } from "node:crypto";
import {
  countConnectLinkStart,
  findConnectLinkByToken,
  insertConnectLink,
  type StoredConnectLink,
} from "../queries/connect-links.ts";
import type { RequestContext } from "../services/context.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { getPublicUrl } from "../services/env.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { apiError } from "../shared/errors.ts";
import { CONNECT_PATH } from "../shared/paths.ts";
import { PLATFORM_DETAILS, type Platform } from "../shared/platforms.ts";
import { type ConnectOffer, listConnectablePlatforms, listConnectOffers } from "./connect-context.ts";

/** Connections that one link may start: more than a person needs, too few to guess passwords. */
const MAX_STARTS = 50;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface ConnectLinkRequest {
  platforms: Platform[] | null;
  label: string | null;
  redirectUrl: string | null;
  expiresInSeconds: number;
  /** Networks at which the customer has an app. */
  ownApps: Platform[];
}

type CreateContext = Pick<RequestContext, "db" | "env" | "key" | "actor" | "ids" | "now">;

/** Returns the link's URL, which is not stored: only a hash of its token is. */
export async function createConnectLink(
  { db, env, key, actor, ids, now }: CreateContext,
  { platforms, label, redirectUrl, expiresInSeconds, ownApps }: ConnectLinkRequest,
): Promise<{ id: string; url: string; expiresAt: Date }> {
  const connectable = listConnectablePlatforms(env, ownApps);
  const missing = (platforms ?? []).find((platform) => !connectable.includes(platform));
  if (missing || connectable.length === 0) {
    const name = missing ? PLATFORM_DETAILS[missing].name : "any network";
    throw apiError("platform_unavailable", `This service has no app at ${name}, so no account can be connected there.`);
  }
  const token = randomBytes(32).toString("base64url");
  const expiresAt = new Date(now.getTime() + expiresInSeconds * 1000);
  const id = ids();
  const tokenHash = sha256Hex(token);
  const createdBy = actor.kind === "member" ? actor.id : null;
  const link = { id, tokenHash, platforms, label, redirectUrl, createdBy, expiresAt, createdAt: now };
  await insertConnectLink(db, key.scope, link);
  return { id, url: new URL(`${CONNECT_PATH}/${token}`, getPublicUrl(env)).href, expiresAt };
}

/** A link with the name of the customer who sent it, and the networks at which that customer has an app. */
export type ConnectLink = NonNullable<Awaited<ReturnType<typeof findConnectLinkByToken>>>;

export type LinkStatus = "open" | "used" | "expired";

export function getLinkStatus({ usedAt, expiresAt }: StoredConnectLink, now: Date): LinkStatus {
  if (usedAt) return "used";
  return expiresAt <= now ? "expired" : "open";
}

/** The link behind a URL, whatever its status; null when there is none. */
export async function findConnectLink(db: ReadOnlyDb, token: string): Promise<ConnectLink | null> {
  return TOKEN.test(token) ? findConnectLinkByToken(db, sha256Hex(token)) : null;
}

/** The networks that a link offers: those it was made for, or all that are set up. */
export function listLinkOffers(
  env: Parameters<typeof listConnectOffers>[0],
  { platforms, ownApps }: Pick<ConnectLink, "platforms" | "ownApps">,
): ConnectOffer[] {
  return listConnectOffers(env, ownApps).filter(({ platform }) => platforms === null || platforms.includes(platform));
}

/** Counts a start; false when the link has ended, or was started too often. */
export function countStart(db: Db, linkId: string, now: Date): Promise<boolean> {
  return countConnectLinkStart(db, linkId, now, MAX_STARTS);
}
