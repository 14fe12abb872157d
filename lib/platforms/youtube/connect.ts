// Connects YouTube channels: OAuth 2 for web server applications.
import { asGrantor } from "../api.ts";
import { createConnector } from "../authorization.ts";
import type { Connector } from "../connector.ts";
import { pickList, pickString } from "../http.ts";
import { YOUTUBE_APP } from "../oauth-apps.ts";
import { request } from "./api.ts";

const identify: Connector["identify"] = async (network, grant, io) => {
  const query = { part: "snippet", mine: "true", maxResults: "50" };
  const { body } = await request(asGrantor(io, network, grant), "GET", "/youtube/v3/channels", { query });
  return pickList(body, "items").flatMap((channel) => {
    const externalId = pickString(channel, "id");
    if (!externalId) return [];
    const displayName = pickString(channel, "snippet", "title") ?? externalId;
    const username = pickString(channel, "snippet", "customUrl")?.replace(/^@/, "") ?? displayName;
    return [{ externalId, username, displayName, kind: "channel", grantorId: externalId, tokens: grant }];
  });
};

export const connector = createConnector(YOUTUBE_APP, identify);
