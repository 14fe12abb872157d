// Checks proofs of possession (DPoP, RFC 9449) as Bluesky's servers do, with nonces that change after a few requests.
import { createHash, createPublicKey, randomBytes, verify } from "node:crypto";
import type { NetworkRequest } from "../../../../lib/simulator/networks/network.ts";

/** A nonce is replaced after so many requests; the one before it is still accepted. */
const NONCE_USES = 3;
const MAX_AGE_S = 60;

type Json = Record<string, unknown>;

export function createProofs() {
  let accepted = [createNonce()];
  let uses = 0;
  const seen = new Set<string>();

  function findError(request: NetworkRequest, { header, claims, jwk }: Proof, token: string | null): string | null {
    const age = Date.now() / 1000 - Number(claims.iat);
    const ath = token === null ? undefined : createHash("sha256").update(token).digest("base64url");
    const isOfRequest =
      claims.htm === request.method && claims.htu === request.baseUrl + request.path && claims.ath === ath;
    if (header.typ !== "dpop+jwt" || header.alg !== "ES256" || jwk.d !== undefined) return "invalid_dpop_proof";
    if (!isOfRequest || !(Math.abs(age) < MAX_AGE_S) || seen.has(String(claims.jti))) return "invalid_dpop_proof";
    seen.add(String(claims.jti));
    return accepted.includes(String(claims.nonce)) ? null : "use_dpop_nonce";
  }

  return {
    /** The fingerprint of the key that signed the request (RFC 7638), or what is wrong with its proof. */
    check(request: NetworkRequest, token: string | null): { jkt: string } | { error: string } {
      const proof = readProof(request.headers.get("dpop") ?? "");
      const error = proof ? findError(request, proof, token) : "invalid_dpop_proof";
      if (!proof || error) return { error: error ?? "invalid_dpop_proof" };
      const { crv, kty, x, y } = proof.jwk;
      return { jkt: createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url") };
    },
    /** The nonce for the next request, which every answer has. */
    nextNonce(): string {
      uses += 1;
      if (uses % NONCE_USES === 0) accepted = [createNonce(), ...accepted].slice(0, 2);
      return accepted[0] ?? "";
    },
  };
}

interface Proof {
  header: Json;
  claims: Json;
  jwk: JsonWebKey;
}

/** Null when the signature is not of the key that the proof names. */
function readProof(proof: string): Proof | null {
  const [head = "", body = "", signature = ""] = proof.split(".");
  try {
    const [header, claims] = [decode(head), decode(body)];
    const jwk = header.jwk as JsonWebKey;
    const key = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" } as const;
    const isSigned = verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"));
    return isSigned ? { header, claims, jwk } : null;
  } catch {
    return null;
  }
}

function decode(part: string): Json {
  return JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as Json;
}

function createNonce(): string {
  return randomBytes(12).toString("base64url");
}
