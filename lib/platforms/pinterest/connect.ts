// Connects Pinterest accounts; each post names its board.
import { asGrantor } from "../api.ts";
import { createConnector, unidentified } from "../authorization.ts";
import type { Connector } from "../connector.ts";
import { pickString } from "../http.ts";
import { PINTEREST_APP } from "../oauth-apps.ts";
import { NETWORK, request } from "./api.ts";

const identify: Connector["identify"] = async (network, grant, io) => {
  const { body } = await request(asGrantor(io, network, grant), "GET", "user_account");
  const username = pickString(body, "username");
  const externalId = pickString(body, "id") ?? username;
  if (!externalId || !username) throw unidentified(NETWORK);
  const displayName = pickString(body, "business_name") ?? username;
  return [{ externalId, username, displayName, kind: "profile", grantorId: externalId, tokens: grant }];
};

export const connector = createConnector(PINTEREST_APP, identify);
