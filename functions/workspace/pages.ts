// Every page and action of a workspace.

import { analyticsPages } from "./analytics/pages.ts";
import { editorPages } from "./editor/actions.ts";
import type { Page } from "./page.ts";
import { accountPages } from "./pages/accounts.tsx";
import { approvalPages } from "./pages/approvals.tsx";
import { auditPages } from "./pages/audit.tsx";
import { calendarPages } from "./pages/calendar.tsx";
import { composePages } from "./pages/compose.tsx";
import { connectLinkActions } from "./pages/connect-links.tsx";
import { eventPages } from "./pages/events.tsx";
import { filePages } from "./pages/files.ts";
import { grantPages } from "./pages/grants.tsx";
import { keyRequestPages } from "./pages/key-requests.tsx";
import { keyPages } from "./pages/keys.tsx";
import { memberPages } from "./pages/members.tsx";
import { networkAppPages } from "./pages/network-apps.tsx";
import { notificationPages } from "./pages/notifications.tsx";
import { packPages } from "./pages/packs.tsx";
import { postPages } from "./pages/post.tsx";
import { productPages } from "./pages/products.tsx";
import { projectPages } from "./pages/projects.tsx";
import { queuePages } from "./pages/queue.tsx";
import { queueBulkPages } from "./pages/queue-bulk.tsx";
import { settingsPages } from "./pages/settings.tsx";
import { slideshowPages } from "./pages/slideshows.tsx";
import { slotPages } from "./pages/slots.tsx";
import { takedownPages } from "./pages/takedown.tsx";
import { templatePages } from "./pages/templates.tsx";
import { testModePages } from "./pages/test-mode.tsx";
import { usagePages } from "./pages/usage.tsx";
import { webhookPage } from "./pages/webhook.tsx";
import { webhookActions } from "./pages/webhook-actions.ts";
import { webhookDeliveryPage } from "./pages/webhook-delivery.tsx";
import { webhookPages } from "./pages/webhooks.tsx";
import { trendPages } from "./trends/page.tsx";
import { viralLibraryPages } from "./viral-library/pages.ts";

export const PAGES: readonly Page[] = [
  ...queuePages,
  ...queueBulkPages,
  ...postPages,
  ...takedownPages,
  ...approvalPages,
  ...calendarPages,
  ...composePages,
  ...slideshowPages,
  ...templatePages,
  ...packPages,
  ...productPages,
  ...filePages,
  ...projectPages,
  ...editorPages,
  ...analyticsPages,
  ...trendPages,
  ...viralLibraryPages,
  ...usagePages,
  ...accountPages,
  ...slotPages,
  ...connectLinkActions,
  ...networkAppPages,
  ...keyPages,
  ...grantPages,
  ...keyRequestPages,
  ...webhookPages,
  webhookPage,
  webhookDeliveryPage,
  ...webhookActions,
  ...eventPages,
  ...testModePages,
  ...memberPages,
  ...settingsPages,
  ...auditPages,
  ...notificationPages,
];
