// The navigation of a workspace: groups of pages, as the people who use them speak of their work.
import type { FC, PropsWithChildren } from "hono/jsx";
import type { Role } from "../../lib/shared/permissions.ts";
import type { Workspace } from "./page.ts";
import { hasRole } from "./session.ts";

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
      { path: "webhooks", label: "Webhooks", role: "viewer" },
      { path: "events", label: "Events", role: "viewer" },
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
        ({ role, path }) => hasRole(workspace.role, role) && !(workspace.isPersonal && path === "members"),
      );
      return visible.length === 0 ? null : (
        <>
          <h2>{label}</h2>
          <ul>
            {visible.map(({ path, label: name }) => (
              <li>
                <a href={`/dashboard/${workspace.id}/${path}`} aria-current={active === path ? "page" : undefined}>
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
