// The actions on tracked accounts: each is an operation of the API.
import type * as z from "zod";
import type { TargetCreated } from "../../../lib/schemas/analytics.ts";
import { MAX_POSTS } from "../../../lib/schemas/analytics.ts";
import { parseHandle } from "../../../lib/schemas/analytics-handle.ts";
import { toApiError } from "../../../lib/shared/errors.ts";
import { PLATFORMS } from "../../../lib/shared/platforms.ts";
import createTarget from "../../analytics/create-target.ts";
import deleteTarget from "../../analytics/delete-target.ts";
import refreshTarget from "../../analytics/refresh-target.ts";
import updateTarget from "../../analytics/update-target.ts";
import { getPlatformName } from "../format.ts";
import type { Page, PageContext } from "../page.ts";
import { redirectWithNotice, runOperation } from "../run-operation.ts";
import { finishAction, setNotice } from "../session.ts";
import { showAnalytics } from "./overview.tsx";
import { requireTargetId, runForTarget } from "./run-for-target.ts";
import type { TargetFields } from "./target-form.tsx";
import type { TrackedAccount } from "./words.ts";

async function addTarget(c: PageContext): Promise<Response> {
  const form = await c.req.parseBody();
  const readText = (name: string) => (typeof form[name] === "string" ? form[name] : "");
  const fields = {
    platform: readText("platform"),
    identifier: readText("identifier"),
    alias: readText("alias").trim(),
  };
  const problem = findFieldProblem(fields);
  if (problem) return showAnalytics(c, { fields, problem });
  const { platform, identifier, alias } = fields;
  const body = { platform, identifier, ...(alias ? { alias } : {}) };
  const { target, created } = await runOperation<z.output<typeof TargetCreated>>(c, createTarget, { body });
  if (!created) return finishAction(c, "analytics", `${target.display_name} is tracked already.`);
  // A person who tracks an account wants to see its figures; the first refresh of the day is free.
  const isStarted = await startRefresh(c, target.id);
  return finishAction(
    c,
    "analytics",
    `${target.display_name} is tracked.${isStarted ? " Its posts are being read." : ""}`,
  );
}

function findFieldProblem({ platform, identifier, alias }: TargetFields): string | null {
  const network = PLATFORMS.find((one) => one === platform);
  if (!network) return "Network: choose one of the list.";
  if (identifier.trim() === "") return "Handle: enter the name of the account, such as @north.light.";
  if (identifier.length > 300 || parseHandle(network, identifier) === null) {
    const name = getPlatformName(network);
    return `Handle: this names no account of ${name}. Enter a handle such as @north.light, or the address of a profile on ${name}.`;
  }
  return alias.length > 100 ? "Name here: enter at most 100 characters." : null;
}

/** False if the network is asked already, or was today. */
async function startRefresh(c: PageContext, targetId: string): Promise<boolean> {
  try {
    await runOperation(c, refreshTarget, { params: { targetId } });
    return true;
  } catch (error) {
    const code = toApiError(error)?.code;
    if (code !== "rate_limited" && code !== "analytics_conflict") throw error;
    return false;
  }
}

/** The page of an account and the list of all have the same forms; a body that is no form comes from neither. */
function getPath(form: Record<string, unknown>, targetId: string): string {
  return form.from === "account" ? `analytics/accounts/${targetId}` : "analytics";
}

async function refresh(c: PageContext): Promise<Response> {
  const targetId = requireTargetId(c);
  return redirectWithNotice(c, getPath(await c.req.parseBody(), targetId), async () => {
    await runForTarget(c, refreshTarget, { params: { targetId } });
    return "Its posts are being read.";
  });
}

async function setFavorite(c: PageContext): Promise<Response> {
  const form = await c.req.parseBody();
  const body = { favorite: form.favorite === "yes" };
  const { id, display_name } = await update(c, body);
  return finishAction(
    c,
    getPath(form, id),
    `${display_name} is ${body.favorite ? "a favourite" : "no favourite any more"}.`,
  );
}

async function edit(c: PageContext): Promise<Response> {
  const targetId = requireTargetId(c);
  const form = await c.req.parseBody();
  const name = typeof form.name === "string" ? form.name.trim() : "";
  const maxPosts = Number(form.posts);
  const path = `analytics/accounts/${targetId}`;
  if (name.length > 100) return reject(c, path, "Name here: enter at most 100 characters.");
  if (!Number.isInteger(maxPosts) || maxPosts < 1 || maxPosts > MAX_POSTS)
    return reject(c, path, `Newest posts: enter a whole number from 1 to ${MAX_POSTS}.`);
  const refreshPolicy = { maxPosts, freeDailyRefresh: form.daily === "yes" };
  await update(c, { displayName: name === "" ? null : name, refreshPolicy });
  return finishAction(c, path, "Saved.");
}

function reject(c: PageContext, path: string, text: string): Response {
  setNotice(c, { kind: "problem", text });
  return c.redirect(`/dashboard/${c.var.workspace.id}/${path}`, 303);
}

function update(c: PageContext, body: object): Promise<TrackedAccount> {
  return runForTarget<TrackedAccount>(c, updateTarget, { params: { targetId: requireTargetId(c) }, body });
}

async function remove(c: PageContext): Promise<Response> {
  await runForTarget(c, deleteTarget, { params: { targetId: requireTargetId(c) } });
  return finishAction(c, "analytics", "The account is not tracked any more, and its figures are deleted here.");
}

const ACCOUNT = "/analytics/accounts/:targetId";

export const targetActions: Page[] = [
  { id: "analytics.add", method: "POST", path: "/analytics/targets", role: "editor", handle: addTarget },
  { id: "analytics.refresh", method: "POST", path: `${ACCOUNT}/refresh`, role: "editor", handle: refresh },
  { id: "analytics.favorite", method: "POST", path: `${ACCOUNT}/favorite`, role: "editor", handle: setFavorite },
  { id: "analytics.edit", method: "POST", path: `${ACCOUNT}/edit`, role: "editor", handle: edit },
  { id: "analytics.remove", method: "POST", path: `${ACCOUNT}/remove`, role: "editor", handle: remove },
];
