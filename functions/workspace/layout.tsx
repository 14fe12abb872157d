// The frame of every page of the dashboard.
import { raw } from "hono/html";
import type { Child, FC } from "hono/jsx";
import { formatInstant } from "./format.ts";
import { MENU_ID, Navigation } from "./navigation.tsx";
import type { PageContext, Workspace } from "./page.ts";
import { hasRole, type Notice, takeNotice } from "./session.ts";

interface DocumentProps {
  title: string;
  /** Scripts of this page, by name. */
  scripts?: readonly string[];
  /** Pages of test mode have a color of their own. */
  isTest?: boolean;
  children: Child;
}

const Document: FC<DocumentProps> = ({ title, scripts = [], isTest, children }) => (
  <>
    {raw("<!doctype html>")}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/dashboard/assets/dashboard.css" />
        {["page", ...scripts].map((name) => (
          <script type="module" src={`/dashboard/assets/${name}.js`} />
        ))}
      </head>
      <body class={isTest ? "test-mode" : undefined}>{children}</body>
    </html>
  </>
);

interface LayoutProps {
  c: PageContext;
  title: string;
  /** The path of the navigation entry that this page belongs to. */
  active: string;
  /** Beside the heading. */
  actions?: Child;
  scripts?: readonly string[];
  /** The page says that this needs a script: `Writing a post`. */
  needsScript?: string | undefined;
  children: Child;
}

export const Layout: FC<LayoutProps> = ({ c, title, active, actions, scripts, needsScript, children }) => {
  const { workspace, session } = c.var;
  const notice = takeNotice(c);
  return (
    <Document
      title={`${title} · ${workspace.name}${workspace.sandbox ? " (test mode)" : ""}`}
      scripts={scripts ?? []}
      isTest={workspace.sandbox !== null}
    >
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <div class="shell">
        <header class="side">
          <WorkspaceMenu workspace={workspace} workspaces={session.workspaces} />
          {hasRole(workspace.role, "editor") && (
            <a class="button primary compose" href={`/dashboard/${workspace.id}/compose`}>
              New post
            </a>
          )}
          <button type="button" class="menu-button" popovertarget={MENU_ID}>
            Menu
          </button>
          <Navigation workspace={workspace} active={active}>
            <form class="person" method="post" data-sign-out>
              <span title={session.person.email}>{session.person.email}</span>
              <a href="/dashboard/passkeys">Security</a>
              <a
                href={`/dashboard/${workspace.id}/notifications`}
                aria-current={active === "notifications" ? "page" : undefined}
              >
                Notifications
              </a>
              <button type="submit" class="link">
                Sign out
              </button>
            </form>
          </Navigation>
        </header>
        <main id="content" tabindex={-1}>
          {workspace.sandbox && <TestModeLine c={c} />}
          <div class="heading">
            <h1>{title}</h1>
            {actions && <div class="actions">{actions}</div>}
          </div>
          {notice && <NoticeBox notice={notice} />}
          {needsScript && (
            <noscript>
              <p class="notice problem">
                {needsScript} needs JavaScript. Switch it on in this browser, then load the page again.
              </p>
            </noscript>
          )}
          {children}
          <p class="zone">
            <a href={`/dashboard/${workspace.id}/settings`} data-zone={c.var.timeZone}>
              Times are in {c.var.timeZone}
            </a>
          </p>
        </main>
      </div>
    </Document>
  );
};

/** On every page of test mode. */
const TestModeLine: FC<{ c: PageContext }> = ({
  c: {
    var: { workspace, now, timeZone, services },
  },
}) => (
  <p class="test-line" role="note">
    <strong>Test mode</strong>
    <span>Nothing is published. It is {formatInstant(now, timeZone)} here.</span>
    <a href={`/dashboard/${workspace.id}/test-mode`}>Move the clock</a>
    {services.env.ENVIRONMENT !== "preview" && <a href={`/dashboard/${workspace.modes.live}/queue`}>Leave test mode</a>}
  </p>
);

const WorkspaceMenu: FC<{ workspace: Workspace; workspaces: Workspace[] }> = ({ workspace, workspaces }) =>
  workspaces.length < 2 ? (
    <p class="workspace">{workspace.name}</p>
  ) : (
    <details class="workspace">
      <summary>
        <span class="visually-hidden">Workspace: </span>
        {workspace.name}
      </summary>
      <ul>
        {workspaces.map(({ id, name, role }) => (
          <li>
            <a href={`/dashboard/${id}/queue`} aria-current={id === workspace.modes.live ? "true" : undefined}>
              {name} <small>{role}</small>
            </a>
          </li>
        ))}
      </ul>
    </details>
  );

export const NoticeBox: FC<{ notice: Notice }> = ({ notice }) => (
  <div class={`notice ${notice.kind}`} role={notice.kind === "problem" ? "alert" : "status"}>
    <p>{notice.text}</p>
    {notice.secret && (
      <p class="secret">
        <code>{notice.secret}</code>
        <button type="button" data-copy={notice.secret}>
          Copy
        </button>
      </p>
    )}
  </div>
);

/** A page of its own, for whom there may be no workspace. */
export const Plain: FC<DocumentProps> = ({ title, scripts, children }) => (
  <Document title={title} scripts={scripts ?? []}>
    <main class="plain" id="content">
      {children}
    </main>
  </Document>
);

interface ErrorPageProps {
  status: number;
  message: string;
  /** Names the request in the log. */
  reference?: string | undefined;
}

export const ErrorPage: FC<ErrorPageProps> = ({ status, message, reference }) => (
  <Plain title={TITLES[status] ?? OTHER_TITLE}>
    <h1>{TITLES[status] ?? OTHER_TITLE}</h1>
    <p>{message}</p>
    {reference && (
      <p>
        <code>{reference}</code>
      </p>
    )}
    <p>
      <a class="button" href="/dashboard">
        To the dashboard
      </a>
    </p>
  </Plain>
);

const OTHER_TITLE = "That did not work";
const TITLES: Record<number, string> = {
  403: "Not permitted",
  404: "Page not found",
  413: "Too large",
  429: "Too many attempts",
  500: "Something went wrong",
  503: "Not available right now",
};

/** An empty list says what it would show, and names the step that fills it. */
export const Empty: FC<{ title: string; children: Child }> = ({ title, children }) => (
  <section class="empty">
    <h2>{title}</h2>
    {children}
  </section>
);
