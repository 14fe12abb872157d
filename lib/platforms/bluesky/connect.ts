// Connects Bluesky accounts with an app password, which its owner makes in Bluesky's settings and may delete there.
import { unidentified } from "../authorization.ts";
import { pickString } from "../http.ts";
import { failure, type PasswordConnector } from "../platform.ts";
import { findAccountServer, getAccountServerContext } from "./account-server.ts";
import { assertAppPassword, readSession, signIn } from "./session.ts";
import { callXrpc, NETWORK } from "./xrpc.ts";

/** https://atproto.com/specs/handle, read 2026-11-24: a domain name, at most 253 characters. */
const HANDLE = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

export const passwordConnector: PasswordConnector = {
  // https://docs.bsky.app/docs/api/com-atproto-server-create-session, read 2026-11-24. The password is stored in place of
  // a refresh token: each session is a new sign-in, so the connection lasts until the password is deleted.
  async signIn(network, { identifier, password }, io) {
    const handle = identifier.trim().replace(/^@/, "").toLowerCase();
    if (!HANDLE.test(handle)) throw rejected("handle_invalid", "Enter the handle, such as ann.bsky.social.");
    assertAppPassword(password);
    const did = await resolveHandle(network.baseUrl, handle, io);
    const server = await findAccountServer(io, network, did);
    const session = await signIn(getAccountServerContext(io, network, server), server, did, password);
    const { accessToken, expiresAt } = readSession(session);
    if (pickString(session, "did") !== did) throw unidentified(NETWORK);
    const username = pickString(session, "handle") ?? handle;
    const tokens = { accessToken, refreshToken: password, expiresAt };
    return { externalId: did, username, displayName: username, kind: "profile", grantorId: did, tokens };
  },
};

async function resolveHandle(
  baseUrl: string,
  handle: string,
  io: Parameters<PasswordConnector["signIn"]>[2],
): Promise<string> {
  const name = "com.atproto.identity.resolveHandle";
  const reply = await callXrpc(io, baseUrl, { method: "GET", name, query: { handle } });
  const did = reply.status < 400 ? pickString(reply.body, "did") : null;
  if (!did) throw rejected("handle_unknown", `Bluesky does not know the handle ${handle}. Check its spelling.`);
  return did;
}

function rejected(code: string, message: string) {
  return failure({ class: "account", code, message });
}
