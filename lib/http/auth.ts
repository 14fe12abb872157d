// Authentication: reads the token, verifies it against the stored key, and checks the plan.
// Hono's bearer-auth responds with errors of its own (400, one 401) and waits for the verification, which here runs concurrently.

import {
  type Credential,
  type CredentialStatus,
  type FoundCredential,
  findCredential,
  type PlanStatus,
} from "../queries/keys.ts";
import { type Read, toRead } from "../queries/read.ts";
import type { Db } from "../services/database.ts";
import type { Env } from "../services/env.ts";
import type { InternalActor } from "../shared/actor.ts";
import { digestsMatch, sha256Hex } from "../shared/crypto.ts";
import { type ApiError, apiError } from "../shared/errors.ts";
import { hasPermission, missingPermissionError } from "../shared/permissions.ts";
import { RESOURCE_PATHS, type Resource } from "../shared/resources.ts";
import type { AnySpec } from "./endpoint-spec.ts";

export interface Token {
  publicId: string;
  secretHash: string;
}

const TOKEN = /^((?:pk|pk_test|gr|at)_[A-Za-z0-9]{16})\.([A-Za-z0-9_-]{43})$/;
const MAX_CACHED_CREDENTIALS = 10_000;
/** By the public id of the token. */
const credentialCache = new Map<string, Credential>();

export function readToken(authorization: string | undefined): Token {
  const bearer = /^Bearer +(\S.*)$/i.exec(authorization ?? "");
  if (!bearer?.[1]) {
    throw unauthorizedError(
      "missing_token",
      "Send the API key in the header Authorization: Bearer <public_id>.<secret>.",
    );
  }
  const parts = TOKEN.exec(bearer[1].trim());
  if (!parts?.[1] || !parts[2]) throw invalidTokenError();
  return { publicId: parts[1], secretHash: sha256Hex(parts[2]) };
}

/** The credential if this isolate has seen it before, so that work may start while the key is verified. */
export function getCachedCredential(token: Token): Credential | null {
  const known = credentialCache.get(token.publicId);
  if (!known) return null;
  if (!digestsMatch(known.secretHash, token.secretHash)) throw invalidTokenError();
  return known;
}

/** As it was when the request was verified. */
export interface VerifiedCredential extends Credential {
  hasWebhooks: boolean;
}

/** The conditions that a caller of an operation must meet; null asks for no permission. */
interface Demands extends Pick<AnySpec, "noPlanStatus"> {
  permission: AnySpec["permission"] | null;
}

interface Operation extends Demands {
  /** The id of the endpoint. */
  id: string;
  /** The resource that the token was sent to. */
  resource: Resource;
}

/**
 * Reads key and plan from the database. Throws 401 when the key is unknown, revoked or expired, `noPlanStatus` when its
 * scope has no active plan, and 403 when it lacks the permission. Later requests of a rejected key wait for the
 * verification, and so do no work before it.
 */
export function readCredential(db: Db, token: Token, now: Date, operation: Operation): Read<VerifiedCredential> {
  const { queries, toValue } = findCredential(db, { ...token, operation: operation.id });
  return toRead(db, queries, (results) => verifyCredential(toValue(results), token, now, operation));
}

function verifyCredential(
  row: FoundCredential | null,
  token: Token,
  now: Date,
  demands: Omit<Operation, "id">,
): VerifiedCredential {
  // Compared even when nothing was found, so that an unknown id takes as long as a wrong secret.
  const matches = digestsMatch(row?.credential.secretHash ?? sha256Hex(""), token.secretHash);
  if (!row || !matches) {
    if (!row) credentialCache.delete(token.publicId);
    throw invalidTokenError();
  }
  const error =
    findKeyError(token, row.standing, now) ??
    findResourceError(row.credential, demands.resource) ??
    findPlanError(row.standing, now, demands.noPlanStatus);
  if (error) {
    credentialCache.delete(token.publicId);
    throw error;
  }
  // A key that lacks the permission stays known for the operations that it may call.
  cacheCredential(token, row.credential);
  const { permissions } = row.credential;
  const { permission } = demands;
  if (permission && !hasPermission(permissions, permission)) throw missingPermissionError(permission);
  return { ...row.credential, hasWebhooks: row.standing.hasWebhooks };
}

/** Throws 403 where the deployment, that of a branch, has test mode only. */
export function requireLiveMode({ ENVIRONMENT }: Pick<Env, "ENVIRONMENT">): void {
  if (ENVIRONMENT !== "preview") return;
  throw apiError(
    "test_key_required",
    "This deployment runs in test mode only. Use a key that begins with pk_test_, or a grant of test mode.",
  );
}

function findKeyError({ publicId }: Token, { revokedAt, expiresAt }: CredentialStatus, now: Date): ApiError | null {
  const isAccessToken = publicId.startsWith("at_");
  const noun = isAccessToken ? "access token" : "API key";
  if (revokedAt) {
    const advice = isAccessToken ? "Ask the person for their consent again." : "Create a new one.";
    return unauthorizedError("revoked_token", `This ${noun} was revoked. ${advice}`);
  }
  if (!expiresAt || expiresAt > now) return null;
  const advice = isAccessToken ? "Get a new one with the refresh token." : "Create a new one.";
  return unauthorizedError("expired_token", `This ${noun} expired at ${expiresAt.toISOString()}. ${advice}`);
}

function findResourceError({ resource }: Credential, asked: Resource): ApiError | null {
  if (resource === null || resource === asked) return null;
  const message = `This access token is for ${RESOURCE_PATHS[resource]}. Ask for one whose resource is ${RESOURCE_PATHS[asked]}.`;
  return unauthorizedError("invalid_token", message);
}

/** Null when the scope has an active plan that includes the API. */
function findPlanError(standing: PlanStatus, now: Date, noPlanStatus: 402 | 403 = 402): ApiError | null {
  const paid = standing.subscription === "active" && (!standing.paidUntil || standing.paidUntil > now);
  if (!paid) {
    const message = "An active Creator, Professional or Business plan is required. Renew it in the dashboard.";
    return apiError("subscription_required", message, { status: noPlanStatus });
  }
  if (standing.tier !== "scheduler") return null;
  return apiError("tier_not_allowed", "The Scheduler tier does not include the API. Upgrade to Creator or higher.");
}

/**
 * The same for an actor without a token: throws without plan or permission. A workspace whose plan has ended can still be read
 * by its members.
 */
export function verifyInternal(
  { plan, permissions }: InternalActor,
  now: Date,
  demands: Pick<AnySpec, "noPlanStatus" | "permission">,
): void {
  const isRead = demands.permission.endsWith(":read");
  const error = isRead ? null : findPlanError(plan, now, demands.noPlanStatus);
  if (error) throw error;
  if (!hasPermission(permissions, demands.permission)) throw missingPermissionError(demands.permission);
}

/** The clock of a test scope can be moved by any request, so such a key is read before its requests begin. */
function cacheCredential({ publicId }: Token, credential: Credential): void {
  if (credential.scope.sandbox) return;
  if (credentialCache.size >= MAX_CACHED_CREDENTIALS) credentialCache.delete(credentialCache.keys().next().value ?? "");
  credentialCache.set(publicId, credential);
}

function invalidTokenError() {
  return unauthorizedError("invalid_token", "The API key is not valid. Expected format: <public_id>.<secret>.");
}

function unauthorizedError(
  code: "missing_token" | "invalid_token" | "revoked_token" | "expired_token",
  message: string,
) {
  return apiError(code, message, { headers: { "WWW-Authenticate": "Bearer" } });
}
