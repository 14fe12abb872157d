// Connects TikTok accounts: Login Kit for Web. All pages read on 2026-11-24.
import { createConnector, unidentified } from "../authorization.ts";
import { pick, pickString, sendRequest } from "../http.ts";
import { TIKTOK_APP } from "../oauth-apps.ts";
import type { Connector } from "../platform.ts";
import { assertSuccess } from "./errors.ts";

const NETWORK = "TikTok";

const identify: Connector["identify"] = async (network, grant, io) => {
  const { accessToken, subject } = grant;
  // https://developers.tiktok.com/doc/tiktok-api-v2-get-user-info: these fields need user.info.basic only.
  const info = await sendRequest(io, {
    network: NETWORK,
    method: "GET",
    url: `${network.baseUrl}/v2/user/info/`,
    query: { fields: "open_id,display_name" },
    bearer: accessToken,
  });
  assertSuccess(io, info);
  const user = pick(info.body, "data", "user");
  const externalId = subject ?? pickString(user, "open_id");
  if (!externalId) throw unidentified(NETWORK);
  const displayName = pickString(user, "display_name") ?? externalId;
  // https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info: names the account without
  // the scope user.info.profile. It fails for an account that may not post now, which is no reason not to connect it.
  const creator = await sendRequest(io, {
    network: NETWORK,
    method: "POST",
    url: `${network.baseUrl}/v2/post/publish/creator_info/query/`,
    bearer: accessToken,
    json: {},
  }).catch(() => null);
  const username = pickString(creator?.body, "data", "creator_username") ?? displayName;
  return [{ externalId, username, displayName, kind: "profile", grantorId: externalId, tokens: grant }];
};

export const connector = createConnector(TIKTOK_APP, identify, "open_id");
