// The type of the rules of a network's consent, and the parts that most networks share.
import type { NetworkAccount, NetworkRequest, NetworkResponse } from "../../../../lib/simulator/networks/network.ts";
import type { Consent, ScreenRules } from "./screen.ts";

/** A consent whose code was exchanged. */
export interface Granted {
  consent: Consent;
  accessToken: string;
  refreshToken: string;
}

export interface ConsentEndpoint {
  method: "GET" | "POST";
  path: RegExp;
  call: string;
  /** `code` exchanges the code; `granted` needs the token of a consent; `revoke` ends it. */
  kind: "code" | "granted" | "revoke";
  /** Returns true if the request is this call; others go to the rest of the fake. */
  when?(fields: Record<string, string>): boolean;
  /** The field with the token of a `granted` or `revoke` call, if it is not in the header. */
  tokenField?: string;
  respond(granted: Granted, request: NetworkRequest): NetworkResponse;
}

export interface ConsentRules {
  screenPath: string;
  screen: Omit<ScreenRules, "platform">;
  /** The app's credentials in a token request: in a header, or in fields with these names. */
  app: "basic" | readonly [id: string, secret: string];
  endpoints: readonly ConsentEndpoint[];
  /** The error of a token request in the network's own format. */
  toError(code: string): NetworkResponse;
}

export const HOUR = 3_600;
export const ok = (body: unknown): NetworkResponse => ({ status: 200, body });
export const oauthError = (error: string): NetworkResponse => ({
  status: error === "invalid_client" ? 401 : 400,
  body: { error, error_description: `Scripted as ${error}.` },
});
export const isCode = (fields: Record<string, string>) => fields.grant_type === "authorization_code";
export const first = ({ consent }: Granted): NetworkAccount => consent.accounts[0] as NetworkAccount;
export const nameOf = (account: NetworkAccount): string => account.username ?? account.externalId;
export const titleOf = (account: NetworkAccount): string => nameOf(account).replaceAll(/[._-]/g, " ");

export const screen = (scopes: readonly string[], more: Partial<ScreenRules>): Omit<ScreenRules, "platform"> => ({
  clientParam: "client_id",
  separator: " ",
  pkce: "none",
  deniedError: "access_denied",
  several: false,
  scopes,
  ...more,
});
