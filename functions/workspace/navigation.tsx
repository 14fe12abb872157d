// The navigation of a workspace: groups of pages, as the people who use them speak of their work.
import type { FC, PropsWithChildren } from "hono/jsx";
import type { Role } from "../../lib/shared/permissions.ts";
import type { Workspace } from "./page.ts";
import { hasRole } from "./session.ts";
import { isLivePage } from "./test-mode.ts";

interface NavItem {
  path: string;
  label: string;
  /** The least role that sees it. */
  role: Role;
}

interface NavGroup {
  label: string;
  items: readonly NavItem[];
}

/** Lines in a square of 24, by the path of the page; the name stands beside them. */
const ICONS: Record<string, string> = {
  queue: "M4 6h16M4 12h16M4 18h10",
  calendar: "M4 6h16v14H4zM4 11h16M8 3v5M16 3v5",
  accounts: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21a8 8 0 0 1 16 0",
  slideshows: "M4 8h12v12H4zM8 4h12v12",
  templates: "M4 4h16v6H4zM4 14h7v6H4zM15 14h5v6h-5z",
  packs: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 8.5h.01",
  products: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9",
  files: "M3 6h7l2 2h9v11H3z",
  projects: "M3 6h11v12H3zM14 11l7-4v10l-7-4",
  analytics: "M4 20h16M7 20v-7M12 20V5M17 20v-10",
  trends: "M3 17l6-6 4 4 8-8M15 7h6v6",
  "viral-library": "M12 6c-2-2-5-2-8-1v14c3-1 6-1 8 1 2-2 5-2 8-1V5c-3-1-6-1-8 1zM12 6v14",
  members: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 20a7 7 0 0 1 14 0M16 4a4 4 0 0 1 0 7M19 14a7 7 0 0 1 3 6",
  usage: "M4 18a9 9 0 1 1 16 0M12 14l4-5",
  settings: "M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4",
  audit: "M6 3h9l4 4v14H6zM9 11h7M9 15h7",
  keys: "M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM11 12l9-9M16 7l3 3",
  grants: "M4 4h7v7H4zM13 13h7v7h-7zM11 7.5h3.5a2 2 0 0 1 2 2V13",
  webhooks: "M10 14l4-4M8 12l-3 3a3.5 3.5 0 0 0 5 5l3-3M16 12l3-3a3.5 3.5 0 0 0-5-5l-3 3",
  "test-mode": "M9 3h6M10 3v6l-5 9a2 2 0 0 0 2 3h10a2 2 0 0 0 2-3l-5-9V3M8 15h8",
  events: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 3",
};

const GROUPS: readonly NavGroup[] = [
  {
    label: "Publish",
    items: [
      { path: "queue", label: "Queue", role: "viewer" },
      { path: "calendar", label: "Calendar", role: "viewer" },
      { path: "accounts", label: "Accounts", role: "viewer" },
    ],
  },
  {
    label: "Create",
    items: [
      { path: "slideshows", label: "Slideshows", role: "viewer" },
      { path: "templates", label: "Templates", role: "viewer" },
      { path: "packs", label: "Packs", role: "viewer" },
      { path: "products", label: "Products", role: "viewer" },
      { path: "files", label: "Files", role: "viewer" },
      { path: "projects", label: "Editor", role: "viewer" },
    ],
  },
  {
    label: "Learn",
    items: [
      { path: "analytics", label: "Analytics", role: "viewer" },
      { path: "trends", label: "Trends", role: "viewer" },
      { path: "viral-library", label: "Viral library", role: "viewer" },
    ],
  },
  {
    label: "Workspace",
    items: [
      { path: "members", label: "Members", role: "viewer" },
      { path: "usage", label: "Usage", role: "viewer" },
      { path: "settings", label: "Settings", role: "viewer" },
      { path: "audit", label: "Audit log", role: "admin" },
    ],
  },
  {
    label: "Developers",
    items: [
      { path: "keys", label: "API keys", role: "admin" },
      { path: "grants", label: "Connected apps", role: "admin" },
      { path: "webhooks", label: "Webhooks", role: "viewer" },
      { path: "events", label: "Events", role: "viewer" },
      { path: "test-mode", label: "Test mode", role: "viewer" },
    ],
  },
];

/** The id of the navigation, which the menu button of a phone opens. */
export const MENU_ID = "menu";

interface NavigationProps {
  workspace: Workspace;
  /** The path of the page, or of the page that it belongs to. */
  active: string;
}

/** The children stand below the pages. */
export const Navigation: FC<PropsWithChildren<NavigationProps>> = ({ workspace, active, children }) => (
  <nav class="menu" id={MENU_ID} aria-label="Workspace" popover="auto">
    {GROUPS.map(({ label, items }) => {
      const visible = items.filter(
        ({ role, path }) =>
          hasRole(workspace.role, role) &&
          !(workspace.isPersonal && path === "members") &&
          !(workspace.sandbox && isLivePage(path)),
      );
      return visible.length === 0 ? null : (
        <>
          <h2>{label}</h2>
          <ul>
            {visible.map(({ path, label: name }) => (
              <li>
                <a href={`/dashboard/${workspace.id}/${path}`} aria-current={active === path ? "page" : undefined}>
                  <svg viewBox="0 0 24 24" aria-hidden="true">
                    <path d={ICONS[path]} />
                  </svg>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </>
      );
    })}
    {children}
  </nav>
);
