// OAuth of Instagram and Threads: exchanges the code for a token of an hour, and that token for one of 60 days.
import type { NetworkConfig } from "../shared/platforms.ts";
import { unidentified } from "./authorization.ts";
import type { AuthorizationCode, ConnectableAccount, Grant } from "./connector.ts";
import { type HttpContext, isObject, pickList, pickString, sendRequest } from "./http.ts";
import { assertSuccess, LONG_LIVED_SECONDS } from "./meta.ts";
import { callTokenEndpoint, readGrant } from "./oauth.ts";

interface MetaOAuthConfig {
  /** Display name of the network, for messages. */
  name: string;
  /** Exchanges the code. */
  tokenUrl: string;
  /** The grant type of the exchange for a long-lived token. */
  longLivedGrantType: string;
  /** Prefix of the network's error codes: `ig_`. */
  errorPrefix: string;
}

export async function exchangeMetaCode(
  io: HttpContext,
  network: NetworkConfig,
  { code, redirectUri }: AuthorizationCode,
  config: MetaOAuthConfig,
): Promise<Grant> {
  const { name, tokenUrl, longLivedGrantType } = config;
  const { clientId, clientSecret, baseUrl } = network;
  const body = await callTokenEndpoint(io, {
    network: name,
    url: tokenUrl,
    fields: {
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: "authorization_code",
      redirect_uri: redirectUri,
      code,
    },
  });
  // Instagram returns a list of one, Threads the object itself.
  const [first] = pickList(body, "data");
  const shortLived = isObject(first) ? first : body;
  const accessToken = pickString(shortLived, "access_token") ?? "";
  const longLived = await callTokenEndpoint(io, {
    network: name,
    method: "GET",
    url: `${baseUrl}/access_token`,
    fields: { grant_type: longLivedGrantType, client_secret: clientSecret, access_token: accessToken },
  });
  const scopes = pickString(shortLived, "permissions")?.split(",") ?? pickList(shortLived, "permissions").map(String);
  return { ...readGrant(io, name, longLived, LONG_LIVED_SECONDS), scopes, subject: pickString(shortLived, "user_id") };
}

/** Returns the account that the token belongs to. `idField` names the field with the id that publishing uses. */
export async function identifyMetaAccount(
  io: HttpContext,
  url: string,
  grant: Grant,
  { name, errorPrefix, idField }: Pick<MetaOAuthConfig, "name" | "errorPrefix"> & { idField: string },
): Promise<ConnectableAccount[]> {
  const response = await sendRequest(io, {
    network: name,
    method: "GET",
    url,
    query: { fields: `${idField},username,name` },
    bearer: grant.accessToken,
  });
  assertSuccess(io, response, { prefix: errorPrefix, irreversible: false });
  const externalId = pickString(response.body, idField);
  const username = pickString(response.body, "username");
  if (!externalId || !username) throw unidentified(name);
  const displayName = pickString(response.body, "name") ?? username;
  return [{ externalId, username, displayName, kind: "profile", grantorId: externalId, tokens: grant }];
}
