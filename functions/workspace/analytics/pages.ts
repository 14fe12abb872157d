// Every page and action of analytics.
import type { Page } from "../page.ts";
import { showAccount } from "./account.tsx";
import { showBestPosts } from "./best-posts.tsx";
import { exportDays, exportPosts } from "./export.ts";
import { showAnalytics } from "./overview.tsx";
import { targetActions } from "./target-actions.ts";

export const analyticsPages: Page[] = [
  {
    id: "analytics.show",
    method: "GET",
    path: "/analytics",
    role: "viewer",
    handle: (c) => showAnalytics(c),
  },
  { id: "analytics.posts", method: "GET", path: "/analytics/posts", role: "viewer", handle: showBestPosts },
  { id: "analytics.export-posts", method: "GET", path: "/analytics/export/posts", role: "viewer", handle: exportPosts },
  { id: "analytics.export-days", method: "GET", path: "/analytics/export/days", role: "viewer", handle: exportDays },
  {
    id: "analytics.account",
    method: "GET",
    path: "/analytics/accounts/:targetId",
    role: "viewer",
    handle: showAccount,
  },
  ...targetActions,
];
