// A page or an action of the dashboard, declared as data: the router, the checks and their tests loop over the table.
import type { Context } from "hono";
import type { Services } from "../../lib/services/context.ts";
import type { MemberActor } from "../../lib/shared/actor.ts";
import type { Role } from "../../lib/shared/permissions.ts";
import { type Result, unwrap } from "../../lib/shared/result.ts";
import type { Sandbox } from "../../lib/shared/scope.ts";

export interface Workspace {
  /** The workspace, or the person for records that belong to no workspace. */
  id: string;
  name: string;
  role: Role;
  actor: MemberActor;
  isPersonal: boolean;
  /** Of the live workspace and of its test mode, which is null before it is made. */
  modes: { live: string; test: string | null };
  /** Null in live mode. */
  sandbox: Sandbox | null;
  /** IANA name: of every time that a page shows or takes. */
  timeZone: string;
}

export interface Invitation {
  id: string;
  role: Role;
  workspace: string;
}

export interface Session {
  person: { id: string; email: string; name: string; timeZone: string };
  workspaces: Workspace[];
  /** The test modes that exist of them. */
  testModes: Workspace[];
  invitations: Invitation[];
}

export interface WorkspaceEnv {
  Bindings: Record<string, unknown>;
  Variables: {
    services: Services;
    requestId: string;
    /** Scheme and host of the dashboard. */
    origin: string;
    now: Date;
    session: Session;
    workspace: Workspace;
    /** The result of the page's `load`, which starts before it is known who asks. */
    loaded: Promise<Result<unknown>> | undefined;
    /** The form of the page may lead there, beside this host. */
    formTarget: string | undefined;
    /** IANA name, of the workspace; before that is known, of the one that was open last. */
    timeZone: string;
  };
}

export type PageContext = Context<WorkspaceEnv, string>;

export interface Page {
  /** Also names the action in the audit log. */
  id: string;
  method: "GET" | "POST";
  /** Below `/dashboard/{workspaceId}`. */
  path: string;
  /** The least role that may open it. */
  role: Role;
  /**
   * Reads what the page shows while the session is read, so that both take one round trip. Its result is discarded when
   * the person may not see it.
   */
  load?(c: PageContext, workspaceId: string): Promise<unknown>;
  handle(c: PageContext): Response | Promise<Response>;
}

/** The result of the page's own `load`. */
export async function takeLoaded<Loaded>(
  c: PageContext,
  load: (c: PageContext, workspaceId: string) => Promise<Loaded>,
): Promise<Loaded> {
  const { loaded, workspace } = c.var;
  return loaded ? unwrap((await loaded) as Result<Loaded>) : load(c, workspace.id);
}
