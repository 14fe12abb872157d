// Connects Threads profiles.
import { describeConsent } from "../authorization.ts";
import type { Connector } from "../connector.ts";
import { exchangeMetaCode, identifyMetaAccount } from "../meta-oauth.ts";
import { THREADS_CONSENT } from "../oauth-apps.ts";
import { THREADS } from "./rules.ts";

const LOGIN = { name: "Threads", errorPrefix: "th" } as const;

export const connector: Connector = {
  ...describeConsent(THREADS_CONSENT),

  // The first token lasts 1 hour, the second 60 days.
  exchange(network, code, io) {
    const tokenUrl = `${network.baseUrl}/oauth/access_token`;
    return exchangeMetaCode(io, network, code, { ...LOGIN, tokenUrl, longLivedGrantType: "th_exchange_token" });
  },

  identify(network, grant, io) {
    return identifyMetaAccount(io, `${network.baseUrl}/${THREADS.version}/me`, grant, { ...LOGIN, idField: "id" });
  },
};
