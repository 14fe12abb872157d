// The operator of a deployment: `npm run admin` creates workspaces of customers, and stores the apps that they bring.
import { runAdmin } from "../commands/run-admin.ts";
import { toOwnApp } from "../local/networks/apps.ts";
import { OWNER_EMAIL } from "../local/seed.ts";
import { type Customer, openCustomer } from "./customer.ts";
import type { Deployment } from "./deployment.ts";

export interface Workspace {
  id: string;
  customer: Customer;
}

interface RunOptions {
  input?: string;
  /** Keys in place of the stack's. */
  keys?: Record<string, string>;
}

/** Returns what the command prints; throws when it fails. */
export async function operate(
  { stack }: Deployment,
  args: string[],
  { input, keys }: RunOptions = {},
): Promise<string> {
  const settings = { ...stack.databaseConfig, TOKEN_KEY: stack.vars.TOKEN_KEY, ...keys };
  const { code, out, err } = await runAdmin(settings, args, input);
  if (code !== 0) throw new Error(`npm run admin -- ${args.join(" ")}: ${err}`);
  return out;
}

/** A workspace of the seeded owner, with a plan and an API key. */
export async function createWorkspace(deployment: Deployment, name: string): Promise<Workspace> {
  const created = await operate(deployment, ["workspace", "create", "--owner-email", OWNER_EMAIL, "--name", name]);
  const id = created.replace("workspace ", "");
  await operate(deployment, ["plan", "set", "--workspace", id, "--tier", "professional"]);
  const key = await operate(deployment, ["key", "create", "--workspace", id, "--name", "server"]);
  return { id, customer: openCustomer(deployment, key.split("\n")[0]) };
}

/** Stores an app of the customer; without scopes it asks for the default ones. */
export async function setApp(
  deployment: Deployment,
  { id }: Workspace,
  { platform, name, scopes = "" }: { platform: string; name: string; scopes?: string },
): Promise<void> {
  const app = toOwnApp(name);
  const args = ["--workspace", id, "--platform", platform, "--client-id", app.id, "--scopes", scopes];
  await operate(deployment, ["app", "set", ...args], { input: app.secret });
}
