// Connects Threads profiles. All pages read on 2026-11-24.
import { describeConsent } from "../authorization.ts";
import { exchangeMetaCode, identifyMetaAccount } from "../meta-oauth.ts";
import { THREADS_CONSENT } from "../oauth-apps.ts";
import type { Connector } from "../platform.ts";
import { THREADS } from "./rules.ts";

const LOGIN = { name: "Threads", errorPrefix: "th" } as const;

export const connector: Connector = {
  ...describeConsent(THREADS_CONSENT),

  // https://developers.facebook.com/docs/threads/get-started/long-lived-tokens: 1 hour, then 60 days.
  exchange(network, code, io) {
    const tokenUrl = `${network.baseUrl}/oauth/access_token`;
    return exchangeMetaCode(io, network, code, { ...LOGIN, tokenUrl, longLivedGrantType: "th_exchange_token" });
  },

  // https://developers.facebook.com/docs/threads/threads-profiles
  identify(network, grant, io) {
    return identifyMetaAccount(io, `${network.baseUrl}/${THREADS.version}/me`, grant, { ...LOGIN, idField: "id" });
  },
};
