// Finds the account that a person names, and its server.
import { parseHandle as readHandle } from "../../schemas/analytics-handle.ts";
import type { NetworkConfig } from "../../shared/platforms.ts";
import type { ConnectIo } from "../connector.ts";
import { pickString } from "../http.ts";
import { failure } from "../platform.ts";
import { readDidDocument } from "./account-server.ts";
import { callXrpc } from "./xrpc.ts";

/** A domain name, at most 253 characters. */
const HANDLE = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
const DID = /^did:(plc|web):[a-zA-Z0-9._:%-]{1,200}$/;

export interface Identity {
  /** Null when only the server is known. */
  did: string | null;
  /** The handle or DID that the person entered, for the server's sign-in form. */
  hint: string | null;
  server: string;
}

export function parseHandle(identifier: string): string {
  const handle = (readHandle("bluesky", identifier) ?? identifier).trim().replace(/^@/, "").toLowerCase();
  if (!HANDLE.test(handle)) throw rejected("handle_invalid", "Enter the handle, such as ann.bsky.social.");
  return handle;
}

/** `identifier`: a handle, a DID, the URL of a profile, or that of a server. */
export async function findIdentity(io: ConnectIo, network: NetworkConfig, identifier: string): Promise<Identity> {
  const given = readHandle("bluesky", identifier) ?? identifier.trim();
  if (/^https?:/.test(given)) return { did: null, hint: null, server: parseServer(network, given) };
  const handle = DID.test(given) ? null : parseHandle(given);
  const did = handle ? await resolveHandle(io, network, handle) : given;
  const document = await readDidDocument(io, network, did);
  if (handle && document && !document.handles.includes(handle)) {
    const message = `The account ${did}, to which ${handle} leads, does not have this handle. Correct it in the account's settings, or enter the DID.`;
    throw rejected("handle_unconfirmed", message);
  }
  return { did, hint: handle ?? did, server: document?.server ?? network.baseUrl };
}

export async function resolveHandle(io: ConnectIo, network: NetworkConfig, handle: string): Promise<string> {
  const name = "com.atproto.identity.resolveHandle";
  const response = await callXrpc(io, network.baseUrl, { method: "GET", name, query: { handle } });
  const did = response.status < 400 ? pickString(response.body, "did") : null;
  if (!did || !DID.test(did)) {
    throw rejected("handle_unknown", `Bluesky does not know the handle ${handle}. Check its spelling.`);
  }
  return did;
}

function parseServer({ baseUrl }: NetworkConfig, given: string): string {
  if (given.replace(/\/$/, "") === baseUrl) return baseUrl;
  if (URL.canParse(given)) return new URL(given).origin;
  throw rejected("server_invalid", "Enter the address of the server, such as https://bsky.social.");
}

function rejected(code: string, message: string) {
  return failure({ class: "account", code, message });
}
