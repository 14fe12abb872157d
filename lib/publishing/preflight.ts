// What the named accounts make of a post: every problem of every account, each with its path, before anything is stored.
import type { Fault } from "../errors.ts";
import { type Refusal, refuse } from "../errors.ts";
import { capabilitiesOf } from "../platforms/capabilities.ts";
import { drivers } from "../platforms/index.ts";
import type { MediaFile, Platform } from "../platforms/platform.ts";
import { limitViolations } from "../platforms/violations.ts";
import type { ListedAccount } from "../queries/accounts.ts";
import type { PostCreate } from "../schemas/post-body.ts";
import type { Provider } from "../schemas/post-settings.ts";
import { contentFor, type Said } from "./content.ts";
import type { MediaFacts, Resolved } from "./resolve.ts";
import { NOW_TOLERANCE_MS } from "./timing.ts";

export interface Problem extends Fault {
  /** The account that minds; null when the post as a whole is wrong. */
  account_id: string | null;
}

/** Every account-aware problem at once; empty when the post may be published as it is. */
export function problemsOf(post: PostCreate, resolved: Resolved, now: Date): Problem[] {
  const known = [...resolved.accounts.values()];
  return [
    ...unknownAccounts(post, resolved),
    ...inThePast(post, now),
    ...unreachable(post, resolved.media),
    ...known.flatMap((account) => accountProblems(post, account, resolved.media)),
    ...(known.length > 0 ? blockProblems(post, known) : []),
  ];
}

/** The refusal that carries the problems, or null. A code of its own wins when nothing else is wrong. */
export function refusalFor(problems: Problem[]): Refusal | null {
  const [first] = problems;
  if (!first) return null;
  const codes = new Set(problems.map(({ code }) => code));
  const own = (["unknown_accounts", "invalid_music_url", "media_unreachable"] as const).find((code) => codes.has(code));
  const code = own && (codes.size === 1 || own === "unknown_accounts") ? own : "validation_failed";
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return refuse(code, `${first.message}${more}`, { fields: problems });
}

function unknownAccounts(post: PostCreate, { accounts }: Resolved): Problem[] {
  return post.accounts.flatMap(({ id }, at) =>
    accounts.has(id.toLowerCase())
      ? []
      : [problem(`accounts.${at}`, "unknown_accounts", `No active account ${id} is visible to the key.`, id)],
  );
}

function inThePast({ scheduled_at }: PostCreate, now: Date): Problem[] {
  if (!scheduled_at || scheduled_at.getTime() >= now.getTime() - NOW_TOLERANCE_MS) return [];
  const message = `scheduled_at ${scheduled_at.toISOString()} lies in the past. Name a later time; to publish at once, leave it out of a new post and send null for one that exists.`;
  return [problem("scheduled_at", "in_the_past", message, null)];
}

function unreachable({ media }: PostCreate, facts: Map<string, MediaFacts>): Problem[] {
  if (!media) return [];
  const named: [string, string][] =
    media.type === "video" ? [["media.url", media.url]] : media.urls.map((url, at) => [`media.urls.${at}`, url]);
  return named.flatMap(([path, url]) => {
    const why = facts.get(url)?.unreachable;
    return why ? [problem(path, "media_unreachable", why, null)] : [];
  });
}

function accountProblems(post: PostCreate, account: ListedAccount, facts: Map<string, MediaFacts>): Problem[] {
  const able = capabilitiesOf(account.platform, account.type);
  const who = `the ${account.platform} account ${account.username}`;
  if (!able) {
    const at = post.accounts.findIndex(({ id }) => id.toLowerCase() === account.id);
    return [
      problem(`accounts.${at}`, "platform_unavailable", `Publishing to ${who} is not available yet.`, account.id),
    ];
  }
  const driver = drivers[account.platform];
  const content = contentFor(account.platform, saidIn(post), (url) => fileOf(url, facts.get(url)));
  const limits = driver?.limits?.(content, able) ?? able;
  const found = [...limitViolations(content, limits, who), ...(driver?.validate?.(content) ?? [])];
  return found.map((violation) => ({ ...violation, account_id: account.id }));
}

function saidIn({ caption, media, music_url, tiktok, pinterest, settings }: PostCreate): Said {
  return {
    caption,
    media: media ?? null,
    musicUrl: music_url ?? null,
    tiktok: tiktok ?? null,
    pinterest: pinterest ?? null,
    settings: settings ?? {},
  };
}

/** What a URL that is of no use answers with says nothing of the file. */
function fileOf(url: string, facts: MediaFacts | undefined): MediaFile {
  return {
    url,
    mimeType: facts && !facts.unreachable ? facts.contentType : null,
    bytes: facts?.bytes ?? null,
    durationMs: facts?.durationMs ?? null,
    width: facts?.width ?? null,
    height: facts?.height ?? null,
    videoCodec: facts?.videoCodec ?? null,
    fps: facts?.fps ?? null,
  };
}

/** Which network a provider under `settings` speaks to. */
const NETWORK_OF: Record<Provider, Platform> = {
  x: "twitter",
  youtube: "youtube",
  instagram: "instagram",
  threads: "threads",
  facebook: "facebook",
  linkedin: "linkedin",
  bluesky: "bluesky",
};

/** Blocks that speak to networks the post does not go to. */
function blockProblems(post: PostCreate, accounts: ListedAccount[]): Problem[] {
  const found: Problem[] = [];
  const platforms = new Set(accounts.map(({ platform }) => platform));
  const all = (test: (account: ListedAccount) => boolean) => accounts.every(test);
  if (post.music_url && !all(({ platform }) => platform === "tiktok")) {
    found.push(
      problem("music_url", "invalid_music_url", "music_url needs every account to be a TikTok account.", null),
    );
  }
  if (post.tiktok && !all(({ platform, type }) => platform === "tiktok" && type === "byo")) {
    found.push(problem("tiktok", "tiktok_not_allowed", "tiktok needs every account to be a byo TikTok account.", null));
  }
  if (post.pinterest && !platforms.has("pinterest")) {
    found.push(problem("pinterest", "provider_absent", "No account of the post is a Pinterest account.", null));
  }
  for (const provider of Object.keys(post.settings ?? {}) as Provider[]) {
    if (platforms.has(NETWORK_OF[provider])) continue;
    const message = `No account of the post is on ${NETWORK_OF[provider]}.`;
    found.push(problem(`settings.${provider}`, "provider_absent", message, null));
  }
  return found;
}

function problem(path: string, code: string, message: string, accountId: string | null): Problem {
  return { path, message, code, account_id: accountId };
}
