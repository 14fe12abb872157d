// Shared by Instagram and Threads: the code gives a token for an hour, which is exchanged for one of 60 days.
import type { NetworkConfig } from "../shared/platforms.ts";
import { callTokenEndpoint, readGrant, unidentified } from "./authorization.ts";
import { type HttpContext, isObject, pickList, pickString, sendRequest } from "./http.ts";
import { assertSuccess } from "./meta.ts";
import type { AuthorizationCode, ConnectableAccount, Grant } from "./platform.ts";

interface MetaLogin {
  name: string;
  /** Where the code is exchanged. */
  tokenUrl: string;
  /** The grant type of the exchange for a long-lived token. */
  exchangeGrant: string;
  /** Prefix of its failure codes. */
  prefix: string;
}

export async function exchangeMetaCode(
  io: HttpContext,
  network: NetworkConfig,
  { code, redirectUri }: AuthorizationCode,
  login: MetaLogin,
): Promise<Grant> {
  const { name, tokenUrl, exchangeGrant } = login;
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
  // Instagram answers with a list of one, Threads with the object itself.
  const [first] = pickList(body, "data");
  const short = isObject(first) ? first : body;
  const accessToken = pickString(short, "access_token") ?? "";
  const long = await callTokenEndpoint(io, {
    network: name,
    method: "GET",
    url: `${baseUrl}/access_token`,
    fields: { grant_type: exchangeGrant, client_secret: clientSecret, access_token: accessToken },
  });
  const named = pickString(short, "permissions")?.split(",") ?? pickList(short, "permissions").map(String);
  return { ...readGrant(io, name, long), scopes: named, subject: pickString(short, "user_id") };
}

/** Reads the one account of the token; `idField` is the id that publishing uses. */
export async function identifyMetaAccount(
  io: HttpContext,
  url: string,
  grant: Grant,
  { name, prefix, idField }: Pick<MetaLogin, "name" | "prefix"> & { idField: string },
): Promise<ConnectableAccount[]> {
  const reply = await sendRequest(io, {
    network: name,
    method: "GET",
    url,
    query: { fields: `${idField},username,name` },
    bearer: grant.accessToken,
  });
  assertSuccess(io, reply, { prefix, irreversible: false });
  const externalId = pickString(reply.body, idField);
  const username = pickString(reply.body, "username");
  if (!externalId || !username) throw unidentified(name);
  const displayName = pickString(reply.body, "name") ?? username;
  return [{ externalId, username, displayName, kind: "profile", grantorId: externalId, tokens: grant }];
}
