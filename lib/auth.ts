// Who is calling: reads the token, knows its scope, and decides whether the key still opens the door.
import type { Db } from "./db.ts";
import { refuse } from "./errors.ts";
import type { Credential, Standing } from "./queries/keys.ts";
import * as keys from "./queries/keys.ts";
import { digestsMatch, sha256Hex } from "./secrets.ts";

export interface Token {
  publicId: string;
  secretHash: string;
}

const TOKEN = /^((?:pk|gr)_[A-Za-z0-9]{16})\.([A-Za-z0-9_-]{43})$/;
const REMEMBERED_AT_MOST = 10_000;
const remembered = new Map<string, Credential>();

export function readToken(authorization: string | undefined): Token {
  const bearer = /^Bearer +(\S.*)$/i.exec(authorization ?? "");
  if (!bearer?.[1]) {
    throw unauthorized("missing_token", "Send the API key in the header Authorization: Bearer <public_id>.<secret>.");
  }
  const parts = TOKEN.exec(bearer[1].trim());
  if (!parts?.[1] || !parts[2]) throw invalidToken();
  return { publicId: parts[1], secretHash: sha256Hex(parts[2]) };
}

/** The credential that this isolate knows already, so that work may begin beside the check of its standing. */
export function recall(token: Token): Credential | null {
  const known = remembered.get(token.publicId);
  if (!known) return null;
  if (!digestsMatch(known.secretHash, token.secretHash)) throw invalidToken();
  return known;
}

/** Reads key and plan from the database; throws unless the key is valid and not revoked at this moment. */
export async function admit(db: Db, token: Token, now: Date): Promise<{ credential: Credential; standing: Standing }> {
  const row = await keys.find(db, token.publicId);
  // Compared even when nothing was found, so that the answer takes as long for an unknown id.
  const matches = digestsMatch(row?.credential.secretHash ?? sha256Hex(""), token.secretHash);
  if (!row || !matches) throw invalidToken();
  const { credential, standing } = row;
  if (standing.revokedAt) throw unauthorized("revoked_token", "This API key was revoked. Create a new one.");
  if (standing.expiresAt && standing.expiresAt <= now) {
    throw unauthorized(
      "expired_token",
      `This API key expired at ${standing.expiresAt.toISOString()}. Create a new one.`,
    );
  }
  remember(credential);
  return { credential, standing };
}

/** Throws unless the scope has an active plan that includes the API. `absent` is 403 in families that list no 402. */
export function requirePlan(standing: Standing, now: Date, absentStatus: 402 | 403): void {
  const paid = standing.subscription === "active" && (!standing.paidUntil || standing.paidUntil > now);
  if (!paid) {
    const message = "An active Creator, Professional or Business plan is required. Renew it in the dashboard.";
    throw refuse("subscription_required", message, { status: absentStatus });
  }
  if (standing.tier === "scheduler") {
    throw refuse("tier_not_allowed", "The Scheduler tier does not include the API. Upgrade to Creator or higher.");
  }
}

function remember(credential: Credential): void {
  if (remembered.size >= REMEMBERED_AT_MOST) remembered.delete(remembered.keys().next().value ?? "");
  remembered.set(credential.publicId, credential);
}

function invalidToken() {
  return unauthorized("invalid_token", "The API key is not valid. Its form is <public_id>.<secret>.");
}

function unauthorized(code: "missing_token" | "invalid_token" | "revoked_token" | "expired_token", message: string) {
  return refuse(code, message, { headers: { "WWW-Authenticate": "Bearer" } });
}
