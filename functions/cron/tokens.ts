// Runs each minute: refreshes tokens that can no longer be refreshed once they expire.

import { refreshExpiringTokens } from "../../lib/publishing/refresh-tokens.ts";
import type { Services } from "../../lib/services/context.ts";

export async function refreshTokens(services: Services): Promise<void> {
  await refreshExpiringTokens(services);
}
