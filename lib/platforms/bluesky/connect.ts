// Connects Bluesky accounts with an app password, which its owner makes in Bluesky's settings and may delete there.
import { unidentified } from "../authorization.ts";
import type { PasswordConnector } from "../connector.ts";
import { pickString } from "../http.ts";
import { findAccountServer, getAccountServerContext } from "./account-server.ts";
import { parseHandle, resolveHandle } from "./identity.ts";
import { assertAppPassword, readSession, signIn } from "./session.ts";
import { NETWORK } from "./xrpc.ts";

export const passwordConnector: PasswordConnector = {
  // The password is stored in place of a refresh token: each session is a new sign-in, so the connection lasts until the
  // password is deleted.
  async signIn(network, { identifier, password }, io) {
    const handle = parseHandle(identifier);
    assertAppPassword(password);
    const did = await resolveHandle(io, network, handle);
    const server = await findAccountServer(io, network, did);
    const session = await signIn(getAccountServerContext(io, network, server), server, did, password);
    const { accessToken, expiresAt } = readSession(session);
    if (pickString(session, "did") !== did) throw unidentified(NETWORK);
    const username = pickString(session, "handle") ?? handle;
    const tokens = { accessToken, refreshToken: password, expiresAt };
    return { externalId: did, username, displayName: username, kind: "profile", grantorId: did, tokens };
  },
};
