// Validates a post against its accounts before it is stored; reports every problem of every account with its path.

import { getCapabilities } from "../platforms/capabilities.ts";
import { drivers } from "../platforms/index.ts";
import type { Content, MediaFile } from "../platforms/platform.ts";
import { findContentViolations } from "../platforms/violations.ts";
import type { ListedAccount } from "../queries/accounts.ts";
import type { PostCreate } from "../schemas/post-body.ts";
import type { Provider } from "../schemas/post-settings.ts";
import type { FieldError } from "../shared/errors.ts";
import { type ApiError, apiError } from "../shared/errors.ts";
import type { FieldCode } from "../shared/field-codes.ts";
import { PLATFORM_DETAILS, type Platform } from "../shared/platforms.ts";
import { OWN_FIELDS, selectContent, toPostContent } from "./content.ts";
import type { MediaFacts, ResolvedReferences } from "./load-references.ts";
import { NOW_TOLERANCE_MS } from "./timing.ts";

export interface Problem extends FieldError {
  /** The account with the problem; absent for a problem of the post as a whole. */
  account_id?: string;
}

/** Returns all problems at once; empty when the post can be published. */
export function findProblems(post: PostCreate, resolved: ResolvedReferences, now: Date): Problem[] {
  const known = [...resolved.accounts.values()];
  return [
    ...findUnknownAccounts(post, resolved),
    ...checkScheduledTime(post, now),
    ...findUnreachableMedia(post, resolved.media),
    ...known.flatMap((account) => findAccountProblems(post, account, resolved.media)),
    ...(known.length > 0 ? findSettingsProblems(post, known) : []),
  ];
}

/** Returns one error for all problems, or null. A specific code is used only if no other kind of problem exists. */
export function toPreflightError(problems: Problem[]): ApiError | null {
  const [first] = problems;
  if (!first) return null;
  const codes = new Set(problems.map(({ code }) => code));
  const own = (["unknown_accounts", "invalid_music_url", "media_unreachable"] as const).find((code) => codes.has(code));
  const code = own && (codes.size === 1 || own === "unknown_accounts") ? own : "validation_failed";
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return apiError(code, `${first.message}${more}`, { fields: problems });
}

function findUnknownAccounts(post: PostCreate, { accounts }: ResolvedReferences): Problem[] {
  return post.accounts.flatMap(({ id }, at) =>
    accounts.has(id.toLowerCase())
      ? []
      : [buildProblem(`accounts.${at}`, "unknown_accounts", `No active account ${id} is visible to the key.`, id)],
  );
}

function checkScheduledTime({ scheduled_at }: PostCreate, now: Date): Problem[] {
  if (!scheduled_at || scheduled_at.getTime() >= now.getTime() - NOW_TOLERANCE_MS) return [];
  const message = `scheduled_at ${scheduled_at.toISOString()} is in the past. Send a later time. To publish now, omit scheduled_at when creating a post and send null when updating one.`;
  return [buildProblem("scheduled_at", "in_the_past", message, null)];
}

function findUnreachableMedia({ media }: PostCreate, facts: Map<string, MediaFacts>): Problem[] {
  if (!media) return [];
  const named: [string, string][] =
    media.type === "video" ? [["media.url", media.url]] : media.urls.map((url, at) => [`media.urls.${at}`, url]);
  return named.flatMap(([path, url]) => {
    const why = facts.get(url)?.unreachableReason;
    return why
      ? [buildProblem(path, "media_unreachable", `${why} Use a public URL that returns the media file.`, null)]
      : [];
  });
}

function findAccountProblems(post: PostCreate, account: ListedAccount, facts: Map<string, MediaFacts>): Problem[] {
  const capabilities = getCapabilities(account.platform, account.type);
  const label = `the ${PLATFORM_DETAILS[account.platform].name} account ${account.username}`;
  if (!capabilities) {
    const at = post.accounts.findIndex(({ id }) => id.toLowerCase() === account.id);
    return [
      buildProblem(
        `accounts.${at}`,
        "platform_unavailable",
        `Publishing to ${label} is not available. Remove the account.`,
        account.id,
      ),
    ];
  }
  const driver = drivers[account.platform];
  const content = selectAccountContent(post, account, facts);
  const found = findContentViolations(driver, content, capabilities, label);
  return found.map((violation) => ({ ...violation, account_id: account.id }));
}

/** What the account's network would receive of the post, with the facts that are known about its media. */
export function selectAccountContent(
  post: PostCreate,
  { platform }: ListedAccount,
  facts: Map<string, MediaFacts>,
): Content {
  return selectContent(platform, toPostContent(post), (url) => toMediaFile(url, facts.get(url)));
}

/** Ignores the content type of an unusable URL, because it does not describe the file. */
function toMediaFile(url: string, facts: MediaFacts | undefined): MediaFile {
  return {
    url,
    mimeType: facts && !facts.unreachableReason ? facts.contentType : null,
    bytes: facts?.bytes ?? null,
    durationMs: facts?.durationMs ?? null,
    width: facts?.width ?? null,
    height: facts?.height ?? null,
    videoCodec: facts?.videoCodec ?? null,
    fps: facts?.fps ?? null,
  };
}

/** The network of each provider key under `settings`. */
const PLATFORM_BY_PROVIDER: Record<Provider, Platform> = {
  x: "twitter",
  youtube: "youtube",
  instagram: "instagram",
  threads: "threads",
  facebook: "facebook",
  linkedin: "linkedin",
  bluesky: "bluesky",
};

/** Finds settings for networks that no account of the post uses. */
function findSettingsProblems(post: PostCreate, accounts: ListedAccount[]): Problem[] {
  const found: Problem[] = [];
  const platforms = new Set(accounts.map(({ platform }) => platform));
  const all = (test: (account: ListedAccount) => boolean) => accounts.every(test);
  if (post.music_url && !all(({ platform }) => platform === "tiktok")) {
    found.push(
      buildProblem(
        "music_url",
        "invalid_music_url",
        "music_url is allowed only if every account is a TikTok account.",
        null,
      ),
    );
  }
  if (post.tiktok && !all(({ platform, type }) => platform === "tiktok" && type === "byo")) {
    found.push(
      buildProblem(
        "tiktok",
        "tiktok_not_allowed",
        "tiktok is allowed only if every account is a byo TikTok account.",
        null,
      ),
    );
  }
  for (const platform of OWN_FIELDS) {
    // The stricter rule for tiktok is checked above.
    if (platform === "tiktok" || !post[platform] || platforms.has(platform)) continue;
    const message = `accounts contains no ${PLATFORM_DETAILS[platform].name} account. Remove ${platform}, or add an account.`;
    found.push(buildProblem(platform, "provider_absent", message, null));
  }
  for (const provider of Object.keys(post.settings ?? {}) as Provider[]) {
    if (platforms.has(PLATFORM_BY_PROVIDER[provider])) continue;
    const { name } = PLATFORM_DETAILS[PLATFORM_BY_PROVIDER[provider]];
    const message = `accounts contains no ${name} account. Remove settings.${provider}, or add an account.`;
    found.push(buildProblem(`settings.${provider}`, "provider_absent", message, null));
  }
  return found;
}

function buildProblem(path: string, code: FieldCode, message: string, accountId: string | null): Problem {
  return { path, message, code, ...(accountId ? { account_id: accountId } : {}) };
}
