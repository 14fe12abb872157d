// Pages of a test scope: the services and the time of its mode, and what is of the live workspace alone.
import { openSandboxServices } from "../../lib/services/sandbox.ts";
import type { Sandbox } from "../../lib/shared/scope.ts";
import type { PageContext } from "./page.ts";

/** From here on a page reads rows of test mode, by its clock. */
export function enterTestMode(c: PageContext, sandbox: Sandbox): void {
  const services = openSandboxServices(c.var.services, sandbox);
  c.set("services", services);
  c.set("now", services.clock());
}

/** Keys and grants end by real time in both modes. */
export const getRealTime = ({ var: { services } }: PageContext): Date => (services.live ?? services).clock();

/** Pages whose records both modes share: people, own apps at networks and mails. */
const LIVE_PAGES = ["members", "network-apps", "notifications", "usage"];

/** Test mode has no such pages: the live workspace has them. */
export const isLivePage = (path: string): boolean => LIVE_PAGES.includes(path);
