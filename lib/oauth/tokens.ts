// The secrets of OAuth. Their hashes are stored; the successors of a refresh token are computed from it, so that a use of it that is
// repeated within a minute has the same answer, and nothing is stored from which a token could be read.
import { createHmac, randomBytes } from "node:crypto";
import type { StoredToken } from "../queries/grant-tokens.ts";
import { sha256Hex } from "../shared/crypto.ts";

type TokenKind = "at" | "rt";

interface NewToken extends StoredToken {
  token: string;
}

export interface TokenPair {
  access: NewToken;
  refresh: NewToken;
}

const TOKEN = /^((?:at|rt)_[0-9a-f]{16})\.([A-Za-z0-9_-]{43})$/;

/** Null for text that is no token of a grant. */
export function readGrantToken(token: string): (StoredToken & { kind: TokenKind }) | null {
  const [, publicId, secret] = TOKEN.exec(token) ?? [];
  if (!publicId || !secret) return null;
  return { kind: publicId.startsWith("at_") ? "at" : "rt", publicId, secretHash: sha256Hex(secret) };
}

export function createTokenPair(): TokenPair {
  const create = (kind: TokenKind) => toToken(kind, randomBytes(8), randomBytes(32));
  return { access: create("at"), refresh: create("rt") };
}

/** The tokens that a refresh token gives: an HMAC of it, with a key that only the service has. */
export function deriveTokenPair(keyBase64: string, refreshToken: string): TokenPair {
  const key = Buffer.from(keyBase64, "base64");
  const derive = (use: string) => createHmac("sha256", key).update(`oauth ${use} ${refreshToken}`).digest();
  const create = (kind: TokenKind) => toToken(kind, derive(`${kind} id`).subarray(0, 8), derive(`${kind} secret`));
  return { access: create("at"), refresh: create("rt") };
}

function toToken(kind: TokenKind, id: Buffer, secretBytes: Buffer): NewToken {
  const publicId = `${kind}_${id.toString("hex")}`;
  const secret = secretBytes.toString("base64url");
  return { token: `${publicId}.${secret}`, publicId, secretHash: sha256Hex(secret) };
}

/** An authorization code. */
export function createCode(): { code: string; codeHash: string } {
  const code = randomBytes(32).toString("base64url");
  return { code, codeHash: sha256Hex(code) };
}

const CODE_VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Of PKCE, S256; null for what is no verifier: https://datatracker.ietf.org/doc/html/rfc7636#section-4.1, read 2026-11-29. */
export function toCodeChallenge(verifier: string): string | null {
  return CODE_VERIFIER.test(verifier) ? Buffer.from(sha256Hex(verifier), "hex").toString("base64url") : null;
}
