// Connecting accounts: the contract of connectors, and the types of consents and grants.
import type { NetworkConfig } from "../shared/platforms.ts";
import type { Job, RefreshedTokens } from "./platform.ts";

/** A consent that is about to be requested. */
export interface ConsentRequest {
  /** The network sends the browser there afterwards; it is registered with our app. */
  redirectUri: string;
  /** Comes back with the code, and only from the browser that was sent away. */
  state: string;
  /** SHA-256 of the code verifier in base64url (PKCE, RFC 7636); networks without PKCE ignore it. */
  codeChallenge: string;
  /** Scheme and host under which the networks know this service. */
  origin: string;
  /** The account that the person entered, for a network whose accounts are on many servers. */
  identifier: string;
}

/** A consent screen that had to be asked for, and what `exchange` needs to know of it again; it is stored encrypted. */
export interface RequestedConsent {
  url: string;
  remembered: string;
}

/** The response of the consent screen. */
export interface AuthorizationCode {
  code: string;
  redirectUri: string;
  codeVerifier: string;
  /** The server that sent the browser back, if it says so (RFC 9207). */
  issuer: string | null;
  /** Of the `RequestedConsent`; empty for others. */
  remembered: string;
}

/** The tokens and permissions of a consent. */
export interface Grant extends RefreshedTokens {
  /** The permissions that were granted; empty when the network does not name them. */
  scopes: string[];
  /** The network's id of the account, if the token response has it. */
  subject: string | null;
}

/** An account that a grant may publish to, with the tokens to store for it. */
export interface ConnectableAccount {
  externalId: string;
  username: string;
  displayName: string;
  /** Shown where one of several is chosen. */
  kind: "profile" | "page" | "organization" | "channel";
  /** The network's id of the person who consented: one consent may cover several accounts. */
  grantorId: string;
  tokens: RefreshedTokens;
  /** The permissions that it was granted; absent when they are those of the grant. */
  scopes?: string[];
}

export type ConnectIo = Pick<Job, "fetch" | "fetchMedia" | "now">;

/** Connects accounts by OAuth 2: the owner consents at the network, and the code is exchanged for tokens. */
export interface Connector {
  /** The permissions to request, unless the operator configures others. */
  scopes: readonly string[];
  /** Without these nothing can be published; several networks let people deselect single permissions. */
  requiredScopes: readonly string[];
  /** The URL of the consent screen. Throws a failure when it must be asked for and cannot. */
  authorizeUrl(network: NetworkConfig, request: ConsentRequest, io: ConnectIo): string | Promise<RequestedConsent>;
  /** Throws a failure: `auth` for a rejected code, `account` when the account cannot be connected. */
  exchange(network: NetworkConfig, code: AuthorizationCode, io: ConnectIo): Promise<Grant>;
  /** The accounts that the grant may publish to; empty when there is none. */
  identify(network: NetworkConfig, grant: Grant, io: ConnectIo): Promise<ConnectableAccount[]>;
}

/** Connects accounts with a password that their owner makes for this service at the network. */
export interface PasswordConnector {
  signIn(
    network: NetworkConfig,
    credentials: { identifier: string; password: string },
    io: ConnectIo,
  ): Promise<ConnectableAccount>;
}
