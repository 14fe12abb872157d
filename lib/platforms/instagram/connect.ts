// Connects professional Instagram accounts: Business Login. All pages read on 2026-11-24.
import { describeConsent } from "../authorization.ts";
import { exchangeMetaCode, identifyMetaAccount } from "../meta-oauth.ts";
import { getTokenHost } from "../oauth.ts";
import { INSTAGRAM_CONSENT } from "../oauth-apps.ts";
import type { Connector } from "../platform.ts";
import { INSTAGRAM } from "./rules.ts";

const TOKENS = { platform: "instagram", tokenHost: "https://api.instagram.com" } as const;
const LOGIN = { name: "Instagram", errorPrefix: "ig" } as const;

export const connector: Connector = {
  ...describeConsent(INSTAGRAM_CONSENT),

  // https://developers.facebook.com/documentation/instagram-platform/reference/access_token: 1 hour, then 60 days.
  exchange(network, code, io) {
    const tokenUrl = `${getTokenHost(network, TOKENS)}/oauth/access_token`;
    return exchangeMetaCode(io, network, code, { ...LOGIN, tokenUrl, longLivedGrantType: "ig_exchange_token" });
  },

  // https://developers.facebook.com/documentation/instagram-platform/instagram-api-with-instagram-login/get-started:
  // `user_id` is the professional account's id, which publishing takes; `id` is another one, of this app only.
  identify(network, grant, io) {
    const url = `${network.baseUrl}/${INSTAGRAM.version}/me`;
    return identifyMetaAccount(io, url, grant, { ...LOGIN, idField: "user_id" });
  },
};
