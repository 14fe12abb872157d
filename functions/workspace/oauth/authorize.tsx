// The authorization endpoint of OAuth: shows the consent to a person who is signed in, and sends the client its code.
import { v7 as newId } from "uuid";
import * as z from "zod";
import { consumeRateLimits } from "../../../lib/http/rate-limits.ts";
import {
  type AuthorizationRequest,
  buildResponseAddress,
  type RequestProblem,
  readAuthorizationRequest,
  readReturnAddress,
} from "../../../lib/oauth/authorization-request.ts";
import { createCode } from "../../../lib/oauth/tokens.ts";
import { listAccounts } from "../../../lib/queries/accounts.ts";
import { insertGrant } from "../../../lib/queries/grants.ts";
import { OAUTH_PATH } from "../../../lib/shared/paths.ts";
import { KEY_ROLE, PERMISSIONS } from "../../../lib/shared/permissions.ts";
import { Plain } from "../layout.tsx";
import type { PageContext, Session, Workspace } from "../page.ts";
import { toList } from "../request-body.ts";
import { hasRole, openAudited, PageError, readSession } from "../session.ts";
import { Consent } from "./consent.tsx";

/** A code is exchanged by a program, at once: https://datatracker.ietf.org/doc/html/rfc6749#section-4.1.2, read 2026-11-29, has ten minutes. */
const CODE_MS = 2 * 60 * 1000;

export async function showConsent(c: PageContext): Promise<Response> {
  const query = new URL(c.req.url).searchParams;
  const session = await readSession(c);
  if (!session) return startSignIn(c, query);
  c.set("session", session);
  const request = await readRequest(c, query);
  if (request instanceof Response) return request;
  const workspaces = listPermitted(c, session);
  const workspace = workspaces.find(({ id }) => id === query.get("workspace")) ?? workspaces[0];
  if (!workspace) return refuseRole(c, session);
  const accounts = await listAccounts(c.var.services.db, workspace.actor.scope, "all");
  const { person } = session;
  c.set("formTarget", toFormTarget(request.redirectUri));
  return c.html(<Consent {...{ request, query, person, workspace, workspaces, accounts }} issuer={c.var.origin} />);
}

/**
 * A request that cannot succeed leads to no sign-in. The description of a client is fetched only for people who are signed in,
 * and the client is told of its mistakes only then: https://datatracker.ietf.org/doc/html/rfc9700#section-4.11.2, read 2026-11-29.
 */
async function startSignIn(c: PageContext, query: URLSearchParams): Promise<Response> {
  if (!query.get("client_id")?.startsWith("https://")) {
    const address = await readReturnAddress(c.var.services, query);
    const problem = readAuthorizationRequest(address, query, c.var.origin);
    if ("error" in problem) throw new PageError(400, `The link of the app is not valid. ${problem.description}`);
  }
  return c.redirect(`/dashboard/sign-in?next=${encodeURIComponent(`${OAUTH_PATH}/authorize?${query}`)}`);
}

/** The request, or the response to one that is not valid. Throws 400 where the client cannot be told. */
async function readRequest(c: PageContext, query: URLSearchParams): Promise<AuthorizationRequest | Response> {
  const { services, session, now, origin } = c.var;
  const { error } = await consumeRateLimits(services.redis, ["oauth_consents"], session.person.id, now, {});
  if (error) throw new PageError(429, "You opened this page very often. Try again in an hour.");
  const address = await readReturnAddress(c.var.services, query);
  const request: AuthorizationRequest | RequestProblem = readAuthorizationRequest(address, query, origin);
  if (!("error" in request)) return request;
  const response = { error: request.error, error_description: request.description };
  return c.redirect(buildResponseAddress(address, origin, response), 303);
}

const Choices = z.object({
  workspace: z.string(),
  permissions: toList(z.enum(PERMISSIONS)),
  accounts: toList(z.guid()),
});

export async function giveConsent(c: PageContext): Promise<Response> {
  const query = new URL(c.req.url).searchParams;
  const { services, now, origin, session } = c.var;
  const request = await readRequest(c, query);
  if (request instanceof Response) return request;
  const parsed = Choices.safeParse(await c.req.parseBody({ all: true }));
  if (!parsed.success) throw new PageError(400, "The form is not complete. Open the link of the app again.");
  const { permissions, accounts } = parsed.data;
  const workspace = listPermitted(c, session).find(({ id }) => id === parsed.data.workspace);
  if (!workspace) throw new PageError(404, "There is no such workspace, or you may not give others access to it.");
  if (permissions.length === 0) throw new PageError(400, "Choose at least one permission, or cancel.");
  if (permissions.some((permission) => !request.permissions.includes(permission)))
    throw new PageError(400, "The app did not ask for a permission that you chose. Open its link again.");
  const known = await listAccounts(services.db, workspace.actor.scope, "all");
  if (accounts.some((account) => !known.some(({ id }) => id === account)))
    throw new PageError(400, "An account that you chose is not one of this workspace any more.");
  const { code, codeHash } = createCode();
  const { client, host, redirectUri, codeChallenge, resource } = request;
  const isStored = await insertGrant(openAudited(c, "grants.create"), workspace.actor.scope, {
    ...{ id: newId(), clientId: client.id, clientName: client.name, clientHost: host, createdBy: session.person.id },
    ...{ permissions, accountIds: accounts, resource, code: { codeHash, redirectUri, codeChallenge } },
    ...{ expiresAt: new Date(now.getTime() + CODE_MS), now },
  });
  if (!isStored) throw new PageError(403, "Your role in this workspace has changed.");
  return c.redirect(buildResponseAddress(request, origin, { code }), 303);
}

/** Live mode first. The deployment of a branch has test mode only. */
function listPermitted(c: PageContext, { workspaces, testModes }: Session): Workspace[] {
  const isPreview = c.var.services.env.ENVIRONMENT === "preview";
  return [...(isPreview ? [] : workspaces), ...testModes].filter(({ role }) => hasRole(role, KEY_ROLE));
}

function refuseRole(c: PageContext, { person, workspaces }: Session): Response | Promise<Response> {
  // In the deployment of a branch.
  if (workspaces.some(({ role }) => hasRole(role, KEY_ROLE)))
    throw new PageError(
      403,
      "This deployment has test mode only: switch it on in the dashboard, then open the link again.",
    );
  return c.html(
    <Plain title="Not permitted">
      <h1>Not permitted</h1>
      <p>
        {person.email} manages no workspace: only its owner and admins let an app use it. Ask one of them to open the
        link of the app.
      </p>
    </Plain>,
    403,
  );
}

/** For the policy of the page: browsers check the address that a form leads to after its redirect, too. */
function toFormTarget(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  // A policy cannot name an address of IPv6, and a semicolon or comma of a host would end its directive.
  return /^https?:\/\/[\w.:-]+$/.test(origin) ? origin : protocol;
}
