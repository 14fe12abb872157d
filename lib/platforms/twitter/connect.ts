// Connects X accounts: OAuth 2 with PKCE as a confidential client.
import { createConnector, unidentified } from "../authorization.ts";
import { pickString, sendRequest } from "../http.ts";
import { X_APP } from "../oauth-apps.ts";
import type { Connector } from "../platform.ts";
import { assertSuccess, NETWORK } from "./errors.ts";

// https://docs.x.com/x-api/users/get-my-user
const identify: Connector["identify"] = async (network, grant, io) => {
  const response = await sendRequest(io, {
    network: NETWORK,
    method: "GET",
    url: `${network.baseUrl}/2/users/me`,
    bearer: grant.accessToken,
  });
  assertSuccess(io, response);
  const externalId = pickString(response.body, "data", "id");
  const username = pickString(response.body, "data", "username");
  if (!externalId || !username) throw unidentified(NETWORK);
  const displayName = pickString(response.body, "data", "name") ?? username;
  return [{ externalId, username, displayName, kind: "profile", grantorId: externalId, tokens: grant }];
};

export const connector = createConnector(X_APP, identify);
