// Connects Pinterest accounts; each post names its board.
import { createConnector, unidentified } from "../authorization.ts";
import { pickString, sendRequest } from "../http.ts";
import { PINTEREST_APP } from "../oauth-apps.ts";
import type { Connector } from "../platform.ts";
import { NETWORK } from "./api.ts";
import { assertSuccess } from "./errors.ts";

// https://developers.pinterest.com/docs/api/v5/user_account-get
const identify: Connector["identify"] = async (network, grant, io) => {
  const response = await sendRequest(io, {
    network: NETWORK,
    method: "GET",
    url: `${network.baseUrl}/v5/user_account`,
    bearer: grant.accessToken,
  });
  assertSuccess(response);
  const username = pickString(response.body, "username");
  const externalId = pickString(response.body, "id") ?? username;
  if (!externalId || !username) throw unidentified(NETWORK);
  const displayName = pickString(response.body, "business_name") ?? username;
  return [{ externalId, username, displayName, kind: "profile", grantorId: externalId, tokens: grant }];
};

export const connector = createConnector(PINTEREST_APP, identify);
