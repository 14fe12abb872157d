// The accounts of a test scope: at every network, and one of the hosted publisher. All of it follows from the id of the scope.
import { createHash } from "node:crypto";
import type { Platform } from "../shared/platforms.ts";

export interface VirtualAccount {
  /** The same after a reset. */
  id: string;
  platform: Platform;
  type: "byo" | "hosted";
  username: string;
  displayName: string;
  /** The network's own id of the account, in the network's format. */
  externalId: string;
  /** The simulator accepts them although no consent issued them; they do not expire. Null for a hosted account. */
  accessToken: string | null;
  refreshToken: string | null;
  /** Everything that the API can ask for; null for a hosted account. */
  grantedScopes: string[] | null;
  /** Facts that only the simulator reads, such as the choices of the account. */
  facts: Record<string, unknown>;
}

interface Template {
  /** Names the account in its ids; by default the network. */
  key?: string;
  platform: Platform;
  type?: "hosted";
  username: string;
  displayName?: string;
  toExternalId(seed: Uint8Array): string;
  facts?: Record<string, unknown>;
}

const toDigits = (prefix: string, count: number) => (seed: Uint8Array) =>
  prefix + String(toNumber(seed) % 10n ** BigInt(count)).padStart(count, "0");
const toNumber = (seed: Uint8Array) => BigInt(`0x${Buffer.from(seed).toString("hex")}`);
const toName = (prefix: string, alphabet: string, count: number) => (seed: Uint8Array) =>
  prefix + Array.from(seed.subarray(0, count), (byte) => alphabet.charAt(byte % alphabet.length)).join("");

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const BASE62 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

const TEMPLATES: readonly Template[] = [
  {
    ...{ platform: "tiktok", username: "sandbox.studio" },
    toExternalId: toName("-000", BASE62, 32),
    // Of a public account: https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info.
    facts: { privacyLevels: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"] },
  },
  {
    ...{ key: "tiktok-private", platform: "tiktok", username: "sandbox.private", displayName: "Sandbox Private" },
    toExternalId: toName("-000", BASE62, 32),
    // A private account cannot post for everyone, which is the default of a post.
    facts: { privacyLevels: ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"] },
  },
  { platform: "instagram", username: "sandbox.studio", toExternalId: toDigits("17841", 12) },
  { platform: "youtube", username: "sandboxstudio", toExternalId: toName("UC", BASE62, 22) },
  { platform: "twitter", username: "sandbox_studio", toExternalId: toDigits("17", 17) },
  { platform: "pinterest", username: "sandboxstudio", toExternalId: toDigits("54", 16) },
  { platform: "threads", username: "sandbox.studio", toExternalId: toDigits("2", 16) },
  {
    platform: "linkedin",
    username: "sandbox-person",
    displayName: "Sandbox Person",
    toExternalId: toName("urn:li:person:", BASE62, 10),
  },
  // A page posts for everyone only.
  {
    key: "linkedin-page",
    platform: "linkedin",
    username: "sandbox-studio",
    toExternalId: toDigits("urn:li:organization:", 9),
  },
  { platform: "facebook", username: "sandboxstudio", toExternalId: toDigits("1", 14) },
  { platform: "bluesky", username: "sandbox-studio.bsky.social", toExternalId: toName("did:plc:", BASE32, 24) },
  {
    key: "hosted",
    platform: "tiktok",
    type: "hosted",
    username: "sandbox.hosted",
    displayName: "Sandbox Hosted",
    toExternalId: toName("-000", BASE62, 32),
  },
];

/** Always in the same order. */
export function virtualAccounts(scopeId: string): VirtualAccount[] {
  return TEMPLATES.map(({ platform, key = platform, type = "byo" as const, username, toExternalId, ...more }) => {
    const { displayName = "Sandbox Studio", facts = {} } = more;
    const id = toUuid(hash(scopeId, key, "id"));
    const externalId = toExternalId(hash(scopeId, key, "external id"));
    const own = type === "byo";
    const toToken = platform === "bluesky" ? toJwt : toPlainToken;
    return {
      ...{ id, platform, type, username, displayName, externalId, facts },
      accessToken: own ? toToken(`access-${id}`, externalId) : null,
      refreshToken: own ? toToken(`refresh-${id}`, externalId) : null,
      grantedScopes: own ? [...SCOPES[platform]] : null,
    };
  });
}

function hash(...words: string[]): Uint8Array {
  return createHash("sha256")
    .update(`sandbox:${words.join(":")}`)
    .digest();
}

/** A UUID of version 8, whose content is free: RFC 9562, section 5.8. */
function toUuid(seed: Uint8Array): string {
  const hex = Buffer.from(seed.subarray(0, 16)).toString("hex");
  const variant = "89ab".charAt((seed[8] ?? 0) % 4);
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`];
  return [...groups, hex.slice(20)].join("-");
}

const toPlainToken = (name: string) => `sandbox-${name}`;

/** Tokens of Bluesky are JWTs, from which the account is read. */
function toJwt(name: string, did: string): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ typ: "at+jwt", alg: "ES256K" })}.${part({ sub: did, jti: name })}.${part("sandbox")}`;
}

const YOUTUBE = "https://www.googleapis.com/auth/youtube";

const SCOPES: Readonly<Record<Platform, readonly string[]>> = {
  tiktok: ["user.info.basic", "video.publish", "video.upload", "video.list"],
  instagram: [
    ...["instagram_business_basic", "instagram_business_content_publish"],
    ...["instagram_business_manage_comments", "instagram_business_manage_insights"],
  ],
  threads: [
    ...["threads_basic", "threads_content_publish", "threads_delete"],
    ...["threads_read_replies", "threads_manage_insights"],
  ],
  facebook: [
    ...["pages_show_list", "business_management", "pages_manage_posts", "pages_read_engagement"],
    ...["pages_manage_engagement", "pages_read_user_content", "read_insights"],
  ],
  youtube: [`${YOUTUBE}.readonly`, `${YOUTUBE}.upload`, `${YOUTUBE}.force-ssl`],
  twitter: ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"],
  pinterest: ["user_accounts:read", "boards:read", "boards:write", "pins:read", "pins:write"],
  linkedin: [
    ...["openid", "profile", "r_basicprofile", "w_member_social", "r_member_social"],
    ...["w_member_social_feed", "r_member_social_feed", "r_member_postAnalytics"],
    ...["w_organization_social", "r_organization_social", "w_organization_social_feed", "r_organization_social_feed"],
    ...["rw_organization_admin"],
  ],
  bluesky: ["atproto", "transition:generic"],
};
