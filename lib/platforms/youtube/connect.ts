// Connects YouTube channels: OAuth 2 for web server applications.
import { createConnector } from "../authorization.ts";
import { pickList, pickString, sendRequest } from "../http.ts";
import { YOUTUBE_APP } from "../oauth-apps.ts";
import type { Connector } from "../platform.ts";
import { assertSuccess } from "./errors.ts";

const NETWORK = "YouTube";

// https://developers.google.com/youtube/v3/docs/channels/list
const identify: Connector["identify"] = async (network, grant, io) => {
  const response = await sendRequest(io, {
    network: NETWORK,
    method: "GET",
    url: `${network.baseUrl}/youtube/v3/channels`,
    query: { part: "snippet", mine: "true", maxResults: "50" },
    bearer: grant.accessToken,
  });
  assertSuccess(io, response);
  return pickList(response.body, "items").flatMap((channel) => {
    const externalId = pickString(channel, "id");
    if (!externalId) return [];
    const displayName = pickString(channel, "snippet", "title") ?? externalId;
    const username = pickString(channel, "snippet", "customUrl")?.replace(/^@/, "") ?? displayName;
    return [{ externalId, username, displayName, kind: "channel", grantorId: externalId, tokens: grant }];
  });
};

export const connector = createConnector(YOUTUBE_APP, identify);
