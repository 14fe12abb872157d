// The routes of the dashboard: sign-in, then pages and actions of one workspace, each checked in the same order.
import { Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { SECURITY_HEADERS } from "../../lib/http/envelope.ts";
import { PERMISSIONS_POLICY } from "../../lib/http/page.ts";
import { toApiError } from "../../lib/shared/errors.ts";
import { formatError } from "../../lib/shared/format-error.ts";
import { APPROVAL_PATH, EDITOR_PATH, OAUTH_PATH, UNSUBSCRIBE_PATH } from "../../lib/shared/paths.ts";
import { decideApproval, showApproval } from "./approval.tsx";
import { handleAuth } from "./auth-operations.ts";
import { callOperation } from "./call-operation.ts";
import { ErrorPage } from "./layout.tsx";
import { formatMessage } from "./messages.ts";
import { giveConsent, showConsent } from "./oauth/authorize.tsx";
import type { WorkspaceEnv } from "./page.ts";
import { removePasskey, showPasskeys } from "./pages/passkeys.tsx";
import { openProject } from "./pages/projects.tsx";
import { endSignIn, endSignIns } from "./pages/sign-ins.tsx";
import { acceptInvitation, declineInvitation, showStart } from "./pages/start.tsx";
import { PAGES } from "./pages.ts";
import { limitRequest } from "./request-body.ts";
import {
  openRequest,
  PageError,
  requireOwnOrigin,
  requireRole,
  requireSession,
  requireWorkspace,
  startLoading,
} from "./session.ts";
import { showSignIn } from "./sign-in.tsx";
import { showUnsubscribe, unsubscribe } from "./unsubscribe.tsx";

/** `/dashboard/` is `/dashboard`: people type addresses. */
const app = new Hono<WorkspaceEnv>({ strict: false });
app.use(openRequest, async (c, next) => {
  await next();
  setHeaders(c.res.headers, c.var);
});
app.use(limitRequest);
app.get(`${UNSUBSCRIBE_PATH}/:token`, showUnsubscribe);
// Mail programs post it without an origin (RFC 8058). The signed link is all that it needs, and no cookie is read.
app.post(`${UNSUBSCRIBE_PATH}/:token`, unsubscribe);
app.use(requireOwnOrigin);
app.on(["GET", "POST"], "/auth/*", handleAuth);
app.get(`${APPROVAL_PATH}/:token`, showApproval);
app.post(`${APPROVAL_PATH}/:token`, decideApproval);
app.get(`${EDITOR_PATH}/projects/:projectId`, requireSession, openProject);
app.get(`${OAUTH_PATH}/authorize`, showConsent);
app.post(`${OAUTH_PATH}/authorize`, requireSession, giveConsent);
app.get("/dashboard/sign-in", showSignIn);
app.get("/dashboard", requireSession, showStart);
app.post("/dashboard/invitations/:id/accept", requireSession, acceptInvitation);
app.post("/dashboard/invitations/:id/decline", requireSession, declineInvitation);
app.get("/dashboard/passkeys", requireSession, showPasskeys);
app.post("/dashboard/passkeys/:id/remove", requireSession, removePasskey);
app.post("/dashboard/passkeys/sign-ins/end", requireSession, endSignIns);
app.post("/dashboard/passkeys/sign-ins/:id/end", requireSession, endSignIn);
app.get("/dashboard/:workspaceId", requireSession, requireWorkspace, (c) =>
  c.redirect(`/dashboard/${c.var.workspace.id}/queue`),
);
for (const { method, path, role, load, handle } of PAGES) {
  const steps = [startLoading(load), requireSession, requireWorkspace, requireRole(role)] as const;
  app.on(method, `/dashboard/:workspaceId${path}`, ...steps, handle);
}
app.all("/dashboard/:workspaceId/api/*", requireSession, requireWorkspace, callOperation);
app.use(
  methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) =>
      c.html(<ErrorPage status={405} message="Open this page from the dashboard." />, 405, {
        Allow: methods.join(", "),
      }),
  }),
);

app.notFound((c) => {
  const message = "There is no page at this address. It may be mistyped, or what it showed was deleted.";
  return c.html(<ErrorPage status={404} message={message} />, 404);
});
app.onError((error, c) => {
  const known = error instanceof PageError ? error : toApiError(error);
  const status = known?.status ?? 500;
  if (known && status < 500) {
    const message = formatMessage(known.message, c.var.timeZone);
    return c.html(<ErrorPage status={status} message={message} />, status);
  }
  c.var.services?.log({ level: "error", error: formatError(error) });
  const cause =
    status === 503 ? "A part of this service cannot be reached right now." : "This is our fault, not yours.";
  const message = `${cause} Try again in a minute. If it happens again, send this number to the people who run the service:`;
  return c.html(<ErrorPage status={status} message={message} reference={c.var.requestId} />, status);
});

function setHeaders(headers: Headers, { services, requestId, formTarget }: WorkspaceEnv["Variables"]): void {
  const files = new URL(services.env.CDN_URL).origin;
  const uploads = new URL(services.env.S3_ENDPOINT).origin;
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Posts show images of any host that their author named.
    `img-src 'self' data: blob: https: ${files}`,
    `media-src blob: https: ${files}`,
    `connect-src 'self' ${uploads}`,
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    `form-action 'self'${formTarget ? ` ${formTarget}` : ""}`,
    "frame-ancestors 'none'",
  ];
  const own = {
    ...SECURITY_HEADERS,
    "Content-Security-Policy": policy.join("; "),
    // With no-referrer a browser sends `Origin: null` with every form.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": PERMISSIONS_POLICY,
    "X-Request-Id": requestId,
  };
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
}

export default app;
