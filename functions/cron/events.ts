// Runs each minute: writes the events that time makes.
import { announceEndingAccounts } from "../../lib/events/announce-reconnects.ts";
import type { Services } from "../../lib/services/context.ts";

export const writeTimedEvents = (services: Services): Promise<void> => announceEndingAccounts(services);
