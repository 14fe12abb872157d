// Checks a draft against its accounts: what prevents it from being published, and what a caller should know about it.
import { drivers } from "../platforms/index.ts";
import { findCardLink } from "../platforms/link-cards.ts";
import { findPostWarnings as findContentWarnings, findPostViolations } from "../platforms/post-violations.ts";
import { measureShownCaption } from "../platforms/shown-caption.ts";
import { getReconnectBy } from "../platforms/token-lifetimes.ts";
import type { PostDraft } from "../schemas/post-body.ts";
import { findContentConflicts } from "../schemas/post-conflicts.ts";
import { type ApiError, apiError, type FieldError } from "../shared/errors.ts";
import type { FieldCode, WarningCode } from "../shared/field-codes.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import { listPostFiles } from "../shared/post-content.ts";
import { findUnknownOutcome } from "../simulator/outcomes.ts";
import { type AccountPost, listSettings, selectAccountPosts } from "./content.ts";
import { getAccountIds, type References } from "./load-references.ts";
import { findClockProblem } from "./resolve-time.ts";
import { NO_SLOTS } from "./take-slot.ts";
import { NOW_TOLERANCE_MS } from "./timing.ts";

export interface Problem extends FieldError {
  /** The account with the problem; absent for a problem of the post as a whole. */
  account_id?: string;
}

export interface Warning {
  field: string;
  message: string;
  code: WarningCode;
}

/**
 * `problems` is empty when the draft can be published; `checks` are in the order of the accounts. `slotTimes` are the slots
 * that a post without a time may take.
 */
export function checkPost(draft: PostDraft, references: References, now: Date, slotTimes: Date[] | null = null) {
  const accountPosts = selectAccountPosts(draft, references);
  const problems = [
    ...findUnknownAccounts(draft, references),
    ...(references.isTestMode ? findOutcomeProblems(draft) : []),
    ...findTimeProblems(draft, now),
    ...(slotTimes?.length === 0 ? [buildProblem("scheduled_at", "no_slots", NO_SLOTS)] : []),
    ...findUnreachableMedia(draft, references),
    ...findContradictions(draft),
    ...accountPosts.flatMap(findAccountProblems),
    // The network of an account that is not active is not known here.
    ...(accountPosts.length === getAccountIds(draft).length ? findSettingsProblems(draft, accountPosts) : []),
  ];
  return {
    problems,
    checks: accountPosts.map((accountPost) => toCheck(accountPost, problems)),
    warnings: [
      ...findPostWarnings(draft, references),
      ...accountPosts.flatMap((accountPost) => [
        ...findAccountWarnings(draft, accountPost),
        ...findCardWarnings(draft, accountPost, references),
      ]),
    ],
  };
}

/** One error for all problems, or null. A specific code is used only if no other kind of problem exists. */
export function toProblemError(problems: Problem[]): ApiError | null {
  const [first] = problems;
  if (!first) return null;
  const codes = new Set(problems.map(({ code }) => code));
  const own = (["unknown_accounts", "invalid_music_url", "media_unreachable", "no_slots"] as const).find((code) =>
    codes.has(code),
  );
  const code = own && (codes.size === 1 || own === "unknown_accounts") ? own : "validation_failed";
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return apiError(code, `${first.message}${more}`, { fields: problems });
}

/**
 * A draft needs existing accounts for its deliveries, and a time that exists; everything else can be corrected before the commit.
 * An account that the stored draft has stays in it while it is paused or disconnected.
 */
export function toDraftError(problems: Problem[], stored: Pick<PostDraft, "accounts"> | null = null): ApiError | null {
  const isStored = ({ code, account_id }: Problem) =>
    code === "unknown_accounts" && stored?.accounts.some(({ id }) => id === account_id);
  return toProblemError(problems.filter((found) => REFUSED_IN_DRAFTS.has(found.code) && !isStored(found)));
}

const REFUSED_IN_DRAFTS: ReadonlySet<FieldCode> = new Set<FieldCode>([
  ...(["unknown_accounts", "time_gap", "time_overlap", "unknown_sandbox_outcome"] as const),
]);

function findUnknownAccounts(draft: PostDraft, { accounts }: References): Problem[] {
  return draft.accounts.flatMap(({ id }, at) =>
    accounts.has(id)
      ? []
      : buildProblem(`accounts.${at}`, "unknown_accounts", `No active account ${id} is visible to the key.`, id),
  );
}

/** A caption of test mode names what comes of the post: a word that names nothing would publish it. */
function findOutcomeProblems({ caption, overrides, accounts }: PostDraft): Problem[] {
  const captions = [
    { path: "caption", text: caption },
    ...overrides.flatMap(({ account_id, caption: text }) => {
      const at = accounts.findIndex(({ id }) => id === account_id);
      return text === undefined ? [] : { path: `accounts.${at}.caption`, text };
    }),
  ];
  return captions.flatMap(({ path, text }) => {
    const problem = findUnknownOutcome(text);
    return problem ? buildProblem(path, "unknown_sandbox_outcome", problem) : [];
  });
}

function findTimeProblems(draft: PostDraft, now: Date): Problem[] {
  const { scheduledAt } = draft;
  const problem = findClockProblem(draft);
  if (problem) return [problem];
  if (!scheduledAt || scheduledAt.getTime() >= now.getTime() - NOW_TOLERANCE_MS) return [];
  const message = `scheduled_at ${scheduledAt.toISOString()} is in the past. Send a later time. To publish now, omit scheduled_at when creating a post and send null when updating one.`;
  return [buildProblem("scheduled_at", "in_the_past", message)];
}

function findUnreachableMedia(draft: PostDraft, { files }: References): Problem[] {
  return listPostFiles(draft).flatMap(({ url, path, kind }) => {
    const file = files.get(url);
    // The other files are checked against the types of each network, which name what it takes.
    const isWrongCover = path.endsWith(".cover_url") && file?.mimeType && !file.mimeType.startsWith(`${kind}/`);
    const reason =
      file?.unreachableReason ??
      (isWrongCover && `The file is ${file.mimeType}, but ${kind}/* is required for a cover.`);
    const message = `${reason} Use a public URL that returns the media file.`;
    return reason ? buildProblem(path, "media_unreachable", message) : [];
  });
}

/** Of an update: the body of a new post is refused for them by its schema. */
function findContradictions(draft: PostDraft): Problem[] {
  return findContentConflicts(draft).map(({ path, code, message }) => buildProblem(path, code, message));
}

/** A field that the account has of its own is named where the request has it. */
function toRequestPath(path: string, { path: accountPath, override }: AccountPost): string {
  const [field] = path.split(".");
  const isOwn =
    (field === "caption" || field === "media" || field === "first_comment") && override?.[field] !== undefined;
  return isOwn ? `${accountPath}.${path}` : path;
}

function findAccountProblems(accountPost: AccountPost): Problem[] {
  const { account, content, capabilities } = accountPost;
  const { id, platform, username } = account;
  const label = `the ${PLATFORM_DETAILS[platform].name} account ${username}`;
  const violations = findPostViolations(drivers[platform], content, capabilities, label);
  return violations.map((found) => ({ ...found, path: toRequestPath(found.path, accountPost), account_id: id }));
}

/** Finds settings for networks that no account of the post uses. */
function findSettingsProblems(draft: PostDraft, accountPosts: AccountPost[]): Problem[] {
  const problems: Problem[] = [];
  const accounts = accountPosts.map(({ account }) => account);
  if (draft.musicUrl && !accounts.every(({ platform }) => platform === "tiktok")) {
    const message = "music_url is allowed only if every account is a TikTok account.";
    problems.push(buildProblem("music_url", "invalid_music_url", message));
  }
  if (draft.tiktok && !accounts.every(({ platform, type }) => platform === "tiktok" && type === "byo")) {
    const message = "tiktok is allowed only if every account is a byo TikTok account.";
    problems.push(buildProblem("tiktok", "tiktok_not_allowed", message));
  }
  for (const { path, platform } of listSettings(draft)) {
    // The stricter rule for tiktok is checked above.
    if (platform === "tiktok" || accounts.some((account) => account.platform === platform)) continue;
    const message = `accounts contains no ${PLATFORM_DETAILS[platform].name} account. Remove ${path}, or add an account.`;
    problems.push(buildProblem(path, "provider_absent", message));
  }
  return problems;
}

function buildProblem(path: string, code: FieldCode, message: string, accountId?: string): Problem {
  return { path, message, code, ...(accountId ? { account_id: accountId } : {}) };
}

function toCheck({ account, content, capabilities }: AccountPost, problems: Problem[]) {
  // A problem without account_id concerns the whole post, so every account gets it.
  const own = problems.filter(({ account_id }) => account_id === account.id || account_id === undefined);
  const rule = capabilities.caption;
  return {
    account_id: account.id,
    ok: own.length === 0,
    // A lower bound when a long caption exceeds the limit: the rest is not measured.
    caption_length: measureShownCaption(content.caption, rule).length,
    caption_limit: rule.limit,
    caption_unit: rule.unit,
    problems: own.map(({ path, message, code }) => ({ path, message, code })),
  };
}

function findPostWarnings(draft: PostDraft, { files }: References): Warning[] {
  const warnings: Warning[] = [];
  if (draft.musicUrl) {
    const message =
      "music_url is not sent: TikTok's API cannot attach a track. Set auto_add_music, or add the track in the TikTok app.";
    warnings.push({ field: "music_url", code: "music_not_attached", message });
  }
  if (draft.tiktok?.post_mode === "MEDIA_UPLOAD") {
    const message = "The post is sent to the inbox of the TikTok app. Publish it there.";
    warnings.push({ field: "tiktok.post_mode", code: "finish_in_app", message });
  }
  for (const { url, bytes, width } of files.values()) {
    if (bytes !== null && width !== null) continue;
    const message = `${url} is not a verified file, so its size and dimensions are not checked before publishing. To check them, upload the file with POST /files.`;
    warnings.push({ field: "media", code: "facts_unknown", message });
  }
  return warnings;
}

/** The page of a card is read for the check too; for the post it is read again. */
function findCardWarnings({ link }: PostDraft, accountPost: AccountPost, { cards }: References): Warning[] {
  const { account, content, capabilities } = accountPost;
  const wanted = capabilities.linkCard === "from_tags" ? findCardLink(content) : null;
  const found = wanted && cards.get(wanted.url);
  if (!wanted || !found || !("problem" in found)) return [];
  const message = `${PLATFORM_DETAILS[account.platform].name} will show no card for ${wanted.url}. ${found.problem}`;
  return [{ field: link ? "link" : toRequestPath("caption", accountPost), code: "link_card_unavailable", message }];
}

function findAccountWarnings({ scheduledAt }: PostDraft, accountPost: AccountPost): Warning[] {
  const { account, path: field, content, capabilities } = accountPost;
  const { platform, type, username } = account;
  const { name } = PLATFORM_DETAILS[platform];
  const driver = type === "byo" ? drivers[platform] : undefined;
  const who = `the ${name} account ${username}`;
  const warnings = findContentWarnings(driver, content, capabilities, who).map(
    ({ path, code, message }): Warning => ({ field: toRequestPath(path, accountPost), code, message }),
  );
  const reconnectBy = getReconnectBy(account);
  if (scheduledAt && reconnectBy && scheduledAt >= reconnectBy) {
    const message = `The connection of the ${name} account ${username} expires at ${reconnectBy.toISOString()}, before the post is due. Reconnect the account before then; otherwise the post is cancelled.`;
    warnings.push({ field, code: "reconnect_before", message });
  }
  if (account.hasFullUploadDay) {
    const app = account.hasOwnApp ? "your own app" : "this service";
    const message = `All daily uploads that ${name} allows ${app} are reserved for that day. The post may be published after the following midnight (America/Los_Angeles). To publish on time, choose another day.`;
    warnings.push({ field, code: "daily_uploads_planned", message });
  }
  return warnings;
}
