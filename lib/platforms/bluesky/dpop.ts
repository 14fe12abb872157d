// Proofs that a request is from the holder of a session's key (DPoP, RFC 9449), by `oauth4webapi`.
import { DPoP, type DPoPHandle, isDPoPNonceError } from "oauth4webapi";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" };

/** By key: a handle keeps the latest nonce of each server, without which a request is sent twice. */
const handles = new Map<string, Promise<DPoPHandle>>();
const MAX_HANDLES = 1_000;

/** `key`: a private key, P-256. */
export function openDpop(key: JsonWebKey): Promise<DPoPHandle> {
  const id = `${key.x}.${key.y}`;
  const handle = handles.get(id) ?? createHandle(key);
  if (handles.size >= MAX_HANDLES) handles.clear();
  handles.set(id, handle);
  return handle;
}

async function createHandle(key: JsonWebKey): Promise<DPoPHandle> {
  const { d: _private, ...publicKey } = key;
  return DPoP(
    {},
    {
      privateKey: await crypto.subtle.importKey("jwk", key, ALGORITHM, false, ["sign"]),
      publicKey: await crypto.subtle.importKey("jwk", publicKey, ALGORITHM, true, ["verify"]),
    },
  );
}

/** Sends a request again if the server asks for another nonce, which the handle has learned from the response. */
export async function retryWithNonce<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    if (!isDPoPNonceError(error)) throw error;
    return send();
  }
}
