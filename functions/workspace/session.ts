// Reads the person from the cookie and the workspace from the path, and rejects requests from pages of other origins.
import type { MiddlewareHandler } from "hono";
import { getCookie, getSignedCookie } from "hono/cookie";
import { matchedRoutes } from "hono/route";
import * as z from "zod";
import { readRequestId } from "../../lib/http/envelope.ts";
import { deleteHostCookie, isFromOwnPage, readHostCookie, setHostCookie } from "../../lib/http/page.ts";
import { listIds, toLoggedPath } from "../../lib/http/response-log.ts";
import { findSession } from "../../lib/queries/sessions.ts";
import { openServices } from "../../lib/services/context.ts";
import { type Db, openAuditedDatabase } from "../../lib/services/database.ts";
import { getOrigin } from "../../lib/services/env.ts";
import { DAY_SECONDS } from "../../lib/shared/durations.ts";
import { apiError } from "../../lib/shared/errors.ts";
import { isUuid } from "../../lib/shared/ids.ts";
import { getRolePermissions, listRolesFrom, type Role } from "../../lib/shared/permissions.ts";
import { toResult } from "../../lib/shared/result.ts";
import type { Sandbox } from "../../lib/shared/scope.ts";
import { parseTimeZone } from "../../lib/shared/time-zone.ts";
import { getSessionCookieName } from "./auth.ts";
import { formatMessage } from "./messages.ts";
import type { Page, PageContext, Session, Workspace, WorkspaceEnv } from "./page.ts";
import { enterTestMode, isLivePage } from "./test-mode.ts";

type Step = MiddlewareHandler<WorkspaceEnv>;

/** The zone of the workspace that was open last, so that its pages are read in it before the workspace is known. */
const ZONE_COOKIE = "zone";
const ZONE_SECONDS = 365 * DAY_SECONDS;

export const openRequest: Step = async (c, next) => {
  const requestId = readRequestId(c.req.header("x-request-id"));
  c.set("requestId", requestId);
  const services = openServices(c.env, requestId, (work) => c.executionCtx.waitUntil(work));
  c.set("services", services);
  c.set("now", services.clock());
  c.set("origin", getOrigin(services.env, c.req.url));
  c.set("timeZone", parseTimeZone(readHostCookie(c, c.var.origin, ZONE_COOKIE)) ?? "UTC");
  const startedAt = Date.now();
  await next();
  services.log({
    level: "info",
    route: `${c.req.method} ${getPattern(c)}`,
    status: c.res.status,
    ids: listIds(c.req.param()),
    ms: Date.now() - startedAt,
  });
};

/** In the form of the API's routes. Steps that apply to every path are not what was asked for. */
function getPattern(c: PageContext): string {
  const matched = matchedRoutes(c).find(({ path }) => path !== "/*");
  return matched ? matched.path.replaceAll(/:(\w+)/g, "{$1}") : toLoggedPath(c.req.path);
}

export const requireOwnOrigin: Step = async (c, next) => {
  if (!isFromOwnPage(c, c.var.origin)) {
    throw new PageError(403, "This request came from another page. Open the dashboard and try again.");
  }
  await next();
};

export class PageError extends Error {
  readonly status: 400 | 403 | 404 | 409 | 429;
  constructor(status: PageError["status"], message: string) {
    super(message);
    this.status = status;
  }
}

/** An id of the path in lower case, as ids are compared; 404 for anything that is no id. */
export function requireId(c: PageContext, param: string, noun: string): string {
  const id = c.req.param(param)?.toLowerCase() ?? "";
  if (!isUuid(id)) throw new PageError(404, `There is no such ${noun} in this workspace.`);
  return id;
}

/** The token of the cookie; null without one that is signed. */
export async function readSessionToken(c: PageContext): Promise<string | null> {
  return (await getSignedCookie(c, requireSecret(c), getSessionCookieName(c.var.origin))) || null;
}

export async function readSession(c: PageContext): Promise<Session | null> {
  const token = await readSessionToken(c);
  if (!token) return null;
  const found = await findSession(c.var.services.db, token, c.var.now);
  if (!found) return null;
  const { person, memberships, personal, invitations } = found;
  const stored = memberships.map(({ tier, subscription, paidUntil, testScope, ...workspace }) => ({
    ...{ workspace: { ...workspace, isPersonal: false }, plan: { tier, subscription, paidUntil }, testScope },
  }));
  if (personal) {
    const { testScope, ...plan } = personal;
    const { id, timeZone } = person;
    const own = { id, name: "Personal", role: "owner" as const, ownerId: id, timeZone, isPersonal: true };
    stored.push({ workspace: own, plan, testScope });
  }
  return {
    person,
    workspaces: stored.map(({ workspace, plan, testScope }) => toWorkspace(person, workspace, plan, testScope)),
    testModes: stored.flatMap(({ workspace, plan, testScope }) => {
      if (!testScope) return [];
      const { timeZone, ...sandbox } = testScope;
      const own = { ...workspace, id: sandbox.scopeId, timeZone, isPersonal: false };
      return toWorkspace(person, own, plan, testScope, sandbox);
    }),
    invitations,
  };
}

export function requireSecret(c: PageContext): string {
  const { SESSION_SECRET } = c.var.services.env;
  if (!SESSION_SECRET) throw apiError("internal_error", "SESSION_SECRET is not set: at least 32 characters.");
  return SESSION_SECRET;
}

function toWorkspace(
  person: Session["person"],
  { ownerId, ...workspace }: Omit<Workspace, "actor" | "modes" | "sandbox"> & { ownerId: string },
  plan: Workspace["actor"]["plan"],
  testScope: Sandbox | null,
  sandbox: Sandbox | null = null,
): Workspace {
  const { id, role, isPersonal } = workspace;
  const scope = { id, ownerId, workspaceId: isPersonal ? null : id, ...(sandbox ? { sandbox } : {}) };
  const { id: personId, email } = person;
  const permissions = getRolePermissions(role);
  const actor = { kind: "member" as const, id: personId, email, role, scope, permissions, plan };
  const modes = { live: testScope && sandbox ? testScope.liveScopeId : id, test: testScope?.scopeId ?? null };
  return { ...workspace, actor, modes, sandbox };
}

export const requireSession: Step = async (c, next) => {
  const session = await readSession(c);
  if (!session) {
    if (c.req.method !== "GET") throw new PageError(403, "You are signed out. Sign in and try again.");
    const { pathname, search } = new URL(c.req.url);
    return c.redirect(`/dashboard/sign-in?next=${encodeURIComponent(pathname + search)}`);
  }
  c.set("session", session);
  await next();
};

/** Only for browsers with a session cookie: a visitor who is signed out costs one read. */
export function startLoading(load: Page["load"]): Step {
  return async (c, next) => {
    const id = c.req.param("workspaceId")?.toLowerCase() ?? "";
    const hasCookie = getCookie(c, getSessionCookieName(c.var.origin)) !== undefined;
    if (load && hasCookie && isUuid(id)) c.set("loaded", toResult(load(c, id)));
    await next();
  };
}

/** A workspace of somebody else gives 404, like one that does not exist. */
export const requireWorkspace: Step = async (c, next) => {
  const id = c.req.param("workspaceId")?.toLowerCase() ?? "";
  const { workspaces, testModes } = c.var.session;
  const workspace = [...workspaces, ...testModes].find((one) => one.id === id);
  if (!workspace) throw new PageError(404, "There is no such workspace, or you are not a member of it.");
  c.set("workspace", workspace);
  const [, , , section = ""] = c.req.path.split("/");
  const { sandbox, modes } = workspace;
  if (sandbox) {
    if (isLivePage(section)) return c.redirect(`/dashboard/${modes.live}/${section}`);
    enterTestMode(c, sandbox);
    // It was read by the clock of live mode.
    c.set("loaded", undefined);
  } else if (c.var.services.env.ENVIRONMENT === "preview" && section !== "test-mode") {
    return c.redirect(`/dashboard/${modes.test ?? `${modes.live}/test-mode`}`);
  }
  const { timeZone } = workspace;
  if (c.var.timeZone !== timeZone) {
    // What was read already may be of the days of another zone.
    c.set("loaded", undefined);
    c.set("timeZone", timeZone);
    setHostCookie(c, c.var.origin, ZONE_COOKIE, timeZone, { sameSite: "Strict", maxAge: ZONE_SECONDS });
  }
  await next();
};

export function requireRole(role: Role): Step {
  return async (c, next) => {
    if (!hasRole(c.var.workspace.role, role)) {
      throw new PageError(403, `Your role in ${c.var.workspace.name} is ${c.var.workspace.role}. This needs ${role}.`);
    }
    await next();
  };
}

export function hasRole(own: Role, needed: Role): boolean {
  return listRolesFrom(needed).includes(own);
}

/** A handle whose changes name the person in the audit log. */
export function openAudited(c: PageContext, action: string): Db {
  const { services, session } = c.var;
  const { id, email } = session.person;
  return openAuditedDatabase(services.env, services.requestId, { actor: { kind: "member", id, name: email }, action });
}

const Notice = z.object({
  kind: z.enum(["done", "problem"]),
  text: z.string(),
  /** Shown once, such as the token of a new key. */
  secret: z.string().optional(),
});
export type Notice = z.output<typeof Notice>;

const NOTICE_SECONDS = 30;

/** The next page shows the notice at its top. */
export function setNotice(c: PageContext, notice: Notice): void {
  const shown = { ...notice, text: formatMessage(notice.text, c.var.timeZone) };
  setHostCookie(c, c.var.origin, "notice", JSON.stringify(shown), { sameSite: "Strict", maxAge: NOTICE_SECONDS });
}

/** Redirects to a page of the workspace, which says what was done. */
export function finishAction(c: PageContext, path: string, text: string, secret?: string): Response {
  setNotice(c, { kind: "done", text, ...(secret === undefined ? {} : { secret }) });
  return c.redirect(`/dashboard/${c.var.workspace.id}/${path}`, 303);
}

export function takeNotice(c: PageContext): Notice | null {
  const text = readHostCookie(c, c.var.origin, "notice");
  if (text === undefined) return null;
  deleteHostCookie(c, c.var.origin, "notice");
  try {
    return Notice.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
