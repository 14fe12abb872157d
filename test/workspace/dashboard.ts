// The Worker of the dashboard called in process, by people who sign in as a browser does: with the code of the mail.

import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { owners } from "../../drizzle/schema/tenants.ts";
import worker from "../../functions/workspace/worker.ts";
import type { Role } from "../../lib/shared/permissions.ts";
import { withFastPauses } from "../support/fast-pauses.ts";
import { createBindings, openTestDatabase, queryRows, type Tenant, vars } from "../support/harness.ts";

export const ORIGIN = "http://dashboard.test";

export interface Page {
  status: number;
  headers: Headers;
  text: string;
}

export interface Visit {
  method?: string;
  form?: Record<string, string> | URLSearchParams;
  json?: unknown;
  /** Sent unchanged. */
  body?: BodyInit;
  headers?: Record<string, string>;
  /** Null: the header is left out. */
  origin?: string | null;
}

export type Browser = ReturnType<typeof createBrowser>;

/** A browser without a session, which keeps its cookies. */
export function createBrowser(host = ORIGIN, env: Record<string, unknown> = {}) {
  const cookies = new Map<string, string>();
  const bindings = { ...createBindings([], []), PUBLIC_URL: ORIGIN, ...env };

  async function visit(
    path: string,
    { method, form, json, body: raw, headers = {}, origin = host }: Visit = {},
  ): Promise<Page> {
    const pending: Promise<unknown>[] = [];
    const context = { waitUntil: (work: Promise<unknown>) => pending.push(work), passThroughOnException() {} };
    const body = raw ?? (form ? new URLSearchParams(form) : json === undefined ? null : JSON.stringify(json));
    const request = new Request(`${host}${path}`, {
      method: method ?? (body === null ? "GET" : "POST"),
      headers: {
        ...(origin === null ? {} : { Origin: origin }),
        Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...headers,
      },
      body,
      // Node takes a stream as a body only with it.
      ...({ duplex: "half" } as RequestInit),
    });
    const response = await withFastPauses(async () => {
      const answered = await worker.fetch(request, bindings, context as unknown as ExecutionContext);
      await Promise.all(pending);
      return answered;
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/max-age=0/i.test(cookie)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  return { visit, cookies };
}

/** The newest mail to an address. */
export async function readMail(email: string): Promise<{ subject: string; text: string } | undefined> {
  const mails: { to: string[]; subject: string; text: string }[] = await (
    await fetch(`${vars.MAIL_API_URL}/_mails`)
  ).json();
  return mails.find(({ to }) => to.includes(email));
}

export async function signIn(email: string): Promise<Browser> {
  const browser = createBrowser();
  // From a network of its own: one may ask for so many codes an hour.
  const headers = { "CF-Connecting-IP": newId() };
  await browser.visit("/auth/email-otp/send-verification-otp", { json: { email, type: "sign-in" }, headers });
  const [otp] = (await readMail(email))?.text.match(/\d{6}/) ?? [];
  const page = await browser.visit("/auth/sign-in/email-otp", { json: { email, otp } });
  if (page.status !== 200) throw new Error(`signing in responded with ${page.status}: ${page.text}`);
  return browser;
}

/** The browser of the workspace's owner. */
export async function signInOwner(tenant: Tenant): Promise<Browser> {
  const [owner] = await queryRows<{ email: string }>(sql`select email from owners where id = ${tenant.ownerId}`);
  return signIn(owner?.email ?? "");
}

/** The browser of a new member. */
export async function signInMember(tenant: Tenant, role: Role): Promise<Browser & { email: string; id: string }> {
  const [id, email] = [newId(), `${newId()}@example.com`];
  const db = openTestDatabase();
  await db.insert(owners).values({ id, email, name: role });
  await db.execute(
    sql`insert into members (workspace_id, owner_id, role) values (${tenant.workspaceId}, ${id}, ${role})`,
  );
  return { ...(await signIn(email)), email, id };
}
