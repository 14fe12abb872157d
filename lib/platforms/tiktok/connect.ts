// Connects TikTok accounts: Login Kit for Web.
import { asGrantor } from "../api.ts";
import { createConnector, unidentified } from "../authorization.ts";
import type { Connector } from "../connector.ts";
import { pick, pickString } from "../http.ts";
import { TIKTOK_APP } from "../oauth-apps.ts";
import { request } from "./api.ts";
import { fetchCreator } from "./creator.ts";

const NETWORK = "TikTok";

const identify: Connector["identify"] = async (network, grant, io) => {
  // These fields need user.info.basic only.
  const context = asGrantor(io, network, grant);
  const info = await request(context, "GET", "user/info/", { query: { fields: "open_id,display_name" } });
  const user = pick(info.body, "data", "user");
  const externalId = grant.subject ?? pickString(user, "open_id");
  if (!externalId) throw unidentified(NETWORK);
  const displayName = pickString(user, "display_name") ?? externalId;
  // Names the account without the scope user.info.profile. It fails for an account that may not post now, which is no
  // reason not to connect it.
  const creator = await fetchCreator(context).catch(() => null);
  const username = creator?.username ?? displayName;
  return [{ externalId, username, displayName, kind: "profile", grantorId: externalId, tokens: grant }];
};

export const connector = createConnector(TIKTOK_APP, identify, "open_id");
