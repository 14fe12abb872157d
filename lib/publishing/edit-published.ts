// Changes the text of a post that is out, at each network that can, and stores what the networks show afterwards.
import { getCapabilities } from "../platforms/capabilities.ts";
import type { PublishedEdit } from "../platforms/published-post.ts";
import { TAKEDOWNS } from "../platforms/takedown.ts";
import { findContentViolations } from "../platforms/violations.ts";
import { OUT, type PublishedDelivery, savePublishedContent } from "../queries/published-deliveries.ts";
import type { EditableField } from "../schemas/content-kinds.ts";
import type { PostContent, PublishedEditBody } from "../schemas/post-body.ts";
import type { RequestContext } from "../services/context.ts";
import { PLATFORM_DETAILS, type Platform } from "../shared/platforms.ts";
import { toResult } from "../shared/result.ts";
import {
  type AccountOutcome,
  callNetwork,
  forEachDelivery,
  getDriver,
  type LeasedPost,
  leasePublishedPost,
  recordOutcome,
  releaseEach,
  toRefused,
} from "./change-published.ts";
import { type Problem, toProblemError } from "./check-post.ts";
import { selectContent } from "./content.ts";

type Result = "edited" | "not_supported" | "failed";

/** Every account is checked before a network is called, so a text that breaks a rule changes nothing. */
export async function editPublished(context: RequestContext, postId: string, body: PublishedEditBody) {
  const post = await leasePublishedPost(context, postId, body.accountIds, OUT);
  const error = toProblemError(post.deliveries.flatMap((delivery) => findProblems(post, delivery, body)));
  if (error) {
    await releaseEach(context, post);
    throw error;
  }
  const outcomes = await forEachDelivery(post, async (delivery) => ({
    delivery,
    outcome: await editPost(context, post, delivery, body),
  }));
  const edited = outcomes.flatMap(({ delivery, outcome }) => (outcome.result === "edited" ? [delivery.account] : []));
  // Before the leases end, because the next edit starts from this content.
  if (edited.length > 0) await savePublishedContent(context.db, post.id, toStored(edited, body), context.clock());
  const results = await Promise.all(
    outcomes.map(({ delivery, outcome }) => recordOutcome(context, post, delivery, "edit", outcome)),
  );
  return { id: post.id, results };
}

/** The fields of the request that the network of the account can change. */
function selectFields(post: LeasedPost, { account }: PublishedDelivery, edit: PublishedEditBody): EditableField[] {
  if (account.type === "hosted") return [];
  const { edits } = TAKEDOWNS[account.platform];
  const hasOwn = edit.accountIds === null && hasOwnCaption(post.content, account.id);
  return edits.filter((field) => edit[field] !== undefined && !(field === "caption" && hasOwn));
}

const hasOwnCaption = ({ overrides }: PostContent, accountId: string): boolean =>
  overrides.some(({ account_id, caption }) => account_id === accountId && caption !== undefined);

/** The content of the post with the edit, as a publication would send it. */
function applyEdit(
  content: PostContent,
  { id, platform }: { id: string; platform: Platform },
  { caption, title }: PublishedEdit,
): PostContent {
  const others = content.overrides.filter(({ account_id }) => account_id !== id);
  const own = content.overrides.find(({ account_id }) => account_id === id) ?? { account_id: id };
  const edited = caption === undefined ? content : { ...content, overrides: [...others, { ...own, caption }] };
  if (title === undefined) return edited;
  if (platform === "pinterest") return { ...edited, pinterest: { ...content.pinterest, title } };
  if (platform !== "youtube") return edited;
  return { ...edited, settings: { ...content.settings, youtube: { ...content.settings.youtube, title } } };
}

function findProblems(post: LeasedPost, delivery: PublishedDelivery, edit: PublishedEditBody): Problem[] {
  const { account } = delivery;
  const fields = selectFields(post, delivery, edit);
  const capabilities = getCapabilities(account.platform, account.type);
  if (fields.length === 0) return [];
  const content = selectContent(applyEdit(post.content, account, edit), account, () => undefined);
  const label = `the ${PLATFORM_DETAILS[account.platform].name} account ${account.username}`;
  const violations = findContentViolations(getDriver(delivery) ?? undefined, content, capabilities, label);
  return violations.flatMap((violation) => {
    // Its media were checked when it was published.
    const path = fields.find((field) => violation.path === field || violation.path.endsWith(`.${field}`));
    return path ? [{ ...violation, path, account_id: account.id }] : [];
  });
}

async function editPost(
  context: RequestContext,
  post: LeasedPost,
  delivery: PublishedDelivery,
  edit: PublishedEditBody,
): Promise<AccountOutcome<Result>> {
  const { platform } = delivery.account;
  const { name } = PLATFORM_DETAILS[platform];
  const driver = getDriver(delivery);
  const fields = selectFields(post, delivery, edit);
  if (!driver?.edit || fields.length === 0) {
    const message = describeUnsupported(post.content, delivery.account, edit);
    return { result: "not_supported", message, change: null, outcome: null };
  }
  const changes = Object.fromEntries(fields.map((field) => [field, edit[field]]));
  const content = applyEdit(post.content, delivery.account, changes);
  const call = driver.edit;
  const edited = await toResult(
    callNetwork(context, post, delivery, content, (job, published) => call(job, published, changes)),
  );
  if (!edited.ok) {
    return toRefused(edited.error, delivery);
  }
  const { id, url } = edited.value;
  const left = (["caption", "title"] as const).filter((field) => edit[field] !== undefined && !fields.includes(field));
  const ignored = left.length > 0 ? ` Its posts have no ${left.join(" or ")} that could be changed.` : "";
  return {
    result: "edited",
    message: `${name} shows the new ${fields.join(" and ")}.${ignored}`,
    change: {
      ...(id === undefined ? {} : { platformPostId: id }),
      ...(url === undefined ? {} : { publishedUrl: url }),
    },
    outcome: "edited",
  };
}

function describeUnsupported(
  content: PostContent,
  { id, platform, type }: PublishedDelivery["account"],
  edit: PublishedEditBody,
): string {
  const { name } = PLATFORM_DETAILS[platform];
  const { edits, editedByHand } = TAKEDOWNS[platform];
  if (type === "hosted") return "Posts of hosted accounts cannot be changed by this service.";
  const isOwn = edits.includes("caption") && edit.caption !== undefined && hasOwnCaption(content, id);
  if (isOwn) return "The account has a caption of its own. Name it in account_ids to change that.";
  if (edits.length > 0) return `Of a ${name} post only its ${edits.join(" and ")} can be changed.`;
  const byHand = editedByHand ?? "Take it down, and publish it again.";
  return `${name} posts cannot be changed by this service. ${byHand}`;
}

/** Without account ids the caption is that of the post; the title is a setting of the networks that have one. */
function toStored(edited: readonly { id: string; platform: Platform }[], body: PublishedEditBody) {
  const { caption, title, accountIds } = body;
  const isTitled = (platform: Platform) => title !== undefined && edited.some((one) => one.platform === platform);
  return {
    caption,
    accountIds: accountIds && edited.map(({ id }) => id),
    youtubeTitle: isTitled("youtube") ? title : undefined,
    pinterestTitle: isTitled("pinterest") ? title : undefined,
  };
}
