// Connects X accounts: OAuth 2 with PKCE as a confidential client.
import { asGrantor } from "../api.ts";
import { createConnector, unidentified } from "../authorization.ts";
import type { Connector } from "../connector.ts";
import { pickString } from "../http.ts";
import { X_APP } from "../oauth-apps.ts";
import { request } from "./api.ts";
import { NETWORK } from "./errors.ts";

const identify: Connector["identify"] = async (network, grant, io) => {
  const { body } = await request(asGrantor(io, network, grant), "GET", "users/me");
  const externalId = pickString(body, "data", "id");
  const username = pickString(body, "data", "username");
  if (!externalId || !username) throw unidentified(NETWORK);
  const displayName = pickString(body, "data", "name") ?? username;
  return [{ externalId, username, displayName, kind: "profile", grantorId: externalId, tokens: grant }];
};

export const connector = createConnector(X_APP, identify);
