// Connects professional Instagram accounts: Business Login.
import { describeConsent } from "../authorization.ts";
import type { Connector } from "../connector.ts";
import { exchangeMetaCode, identifyMetaAccount } from "../meta-oauth.ts";
import { getTokenHost } from "../oauth.ts";
import { INSTAGRAM_CONSENT } from "../oauth-apps.ts";
import { INSTAGRAM } from "./rules.ts";

const TOKENS = { platform: "instagram", tokenHost: "https://api.instagram.com" } as const;
const LOGIN = { name: "Instagram", errorPrefix: "ig" } as const;

export const connector: Connector = {
  ...describeConsent(INSTAGRAM_CONSENT),

  // The first token lasts 1 hour, the second 60 days.
  exchange(network, code, io) {
    const tokenUrl = `${getTokenHost(network, TOKENS)}/oauth/access_token`;
    return exchangeMetaCode(io, network, code, { ...LOGIN, tokenUrl, longLivedGrantType: "ig_exchange_token" });
  },

  // `user_id` is the professional account's id, which publishing takes; `id` is another one, of this app only.
  identify(network, grant, io) {
    const url = `${network.baseUrl}/${INSTAGRAM.version}/me`;
    return identifyMetaAccount(io, url, grant, { ...LOGIN, idField: "user_id" });
  },
};
