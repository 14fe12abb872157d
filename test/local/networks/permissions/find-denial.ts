// What a network answers when a token lacks the permission of a call, or when the state of its app forbids it.
import type { Platform } from "../../../../lib/shared/platforms.ts";
import { errorResponse as linkedinError } from "../../../../lib/simulator/networks/linkedin-protocol.ts";
import { graphError } from "../../../../lib/simulator/networks/meta-protocol.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  readJsonObject,
} from "../../../../lib/simulator/networks/network.ts";
import { errorResponse as tiktokError } from "../../../../lib/simulator/networks/tiktok-protocol.ts";
import { problemResponse, namedError as twitterError } from "../../../../lib/simulator/networks/twitter-protocol.ts";
import { APP, type Apps } from "../apps.ts";
import { listDefaultScopes, PERMISSIONS } from "./table.ts";

type TokenOwner = Pick<NetworkAccount, "externalId" | "app" | "scopes" | "expired">;

/** Returns the network's own error, null when the call is permitted. */
export function findDenial(
  apps: Apps,
  platform: Platform,
  { call, request, account }: { call: string; request: NetworkRequest; account: TokenOwner },
): NetworkResponse | null {
  // The call itself answers that a token has expired, whatever it was granted.
  if (account.expired) return null;
  const state = apps.find(account.app ?? APP.id)?.states?.[platform];
  const forbidden = state ? STATES[`${platform} ${state}`]?.(call, request) : null;
  if (forbidden) return forbidden;
  const operation = toOperation(platform, call, request, account);
  const rules = PERMISSIONS[platform].filter(({ calls }) => calls.includes(operation));
  const as = isPage(account.externalId) ? "page" : "member";
  const granted = account.scopes ?? listDefaultScopes(platform, as);
  const missing = rules.flatMap(({ anyOf }) => {
    const isEnough = anyOf.some((set) => set.every((scope) => granted.includes(scope)));
    return isEnough ? [] : (anyOf[0] ?? []).filter((scope) => !granted.includes(scope));
  });
  return missing.length > 0 ? MISSING[platform](missing.join(" ")) : null;
}

const isPage = (id: string) => /^\d+$|:organization:/.test(id);

/** Names of connecting calls say by which of LinkedIn's apps; publishing calls act for the author that they name. */
function toOperation(platform: Platform, call: string, request: NetworkRequest, account: TokenOwner): string {
  if (platform === "tiktok" && call === "content/init")
    return readJsonObject(request).post_mode === "MEDIA_UPLOAD" ? `${call} draft` : call;
  if (platform !== "linkedin") return call;
  if (/^(me|organization)/.test(call)) return `${call} page`;
  if (call === "userinfo") return `${call} member`;
  const { author, actor, initializeUploadRequest } = readJsonObject(request);
  const owner =
    author ??
    actor ??
    (initializeUploadRequest as { owner?: string } | undefined)?.owner ??
    request.query.get("author");
  const as = isPage(String(owner ?? account.externalId)) ? "page" : "member";
  return call === "assets.get" && /video/.test(request.path) ? `${call} ${as} video` : `${call} ${as}`;
}

/** https://developers.facebook.com/docs/graph-api/guides/error-handling: code 10 and 200 are missing permissions. */
const metaDenial = (missing: string) =>
  graphError(403, 10, null, `(#10) Application does not have permission for this action: ${missing}`);

const MISSING: Readonly<Record<Platform, (missing: string) => NetworkResponse>> = {
  // https://developers.tiktok.com/doc/tiktok-api-v2-error-handling
  tiktok: () => tiktokError(401, "scope_not_authorized"),
  instagram: metaDenial,
  threads: metaDenial,
  facebook: metaDenial,
  // https://developers.google.com/youtube/v3/docs/errors
  youtube: () => {
    const message = "Request had insufficient authentication scopes.";
    const errors = [{ message, domain: "global", reason: "insufficientPermissions" }];
    return { status: 403, body: { error: { code: 403, message, errors, status: "PERMISSION_DENIED" } } };
  },
  // https://docs.x.com/x-api/fundamentals/response-codes-and-errors
  twitter: () => problemResponse(403, "", "Forbidden"),
  pinterest: (missing) => ({
    status: 403,
    body: { code: 3, message: `Authorization failed. Missing: ['${missing.replaceAll(" ", "', '")}']` },
  }),
  // https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/error-handling
  linkedin: () => linkedinError("ACCESS_DENIED", "Not enough permissions to access: the resource"),
  bluesky: (missing) => ({
    status: 403,
    body: { error: "ScopeMissingError", message: `Missing required scope "${missing}"` },
  }),
};

/** What an app may not do in a state that the network has put it in. */
const STATES: Readonly<Record<string, (call: string, request: NetworkRequest) => NetworkResponse | null>> = {
  // https://developers.tiktok.com/doc/content-posting-api-reference-direct-post
  "tiktok unaudited": (call, request) => {
    const info = readJsonObject(request).post_info as { privacy_level?: string } | undefined;
    const isPublic = /^(video|content)\/init$/.test(call) && info?.privacy_level !== "SELF_ONLY";
    return isPublic ? tiktokError(403, "unaudited_client_can_only_post_to_private_accounts") : null;
  },
  // https://github.com/DayMoonDevelopment/post-for-me/pull/334
  "tiktok over_cap": (call) =>
    /^(video|content)\/init$/.test(call) ? tiktokError(403, "reached_active_user_cap") : null,
  // https://github.com/gitroomhq/postiz-app/issues/1084
  "pinterest trial": (call) => {
    const message =
      "Apps with Trial access may not create Pins in production https://api.pinterest.com, use API Sandbox";
    return call === "pins/create" ? { status: 403, body: { code: 29, message } } : null;
  },
  // https://docs.x.com/x-api/getting-started/pricing
  "twitter out_of_credits": (call) => (call.startsWith("oauth2") ? null : twitterError("credits")),
};
