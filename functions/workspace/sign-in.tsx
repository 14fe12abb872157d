// Sign-in: the page, and the operations of better-auth that it and the page of passkeys need. Nothing else of better-auth
// is reachable.
import * as z from "zod";
import { consumeRateLimits, type PolicyName } from "../../lib/http/rate-limits.ts";
import { maySignIn } from "../../lib/queries/sessions.ts";
import { sendMail } from "../../lib/services/mail.ts";
import { sha256Hex } from "../../lib/shared/crypto.ts";
import { createAuth } from "./auth.ts";
import { Plain } from "./layout.tsx";
import type { PageContext } from "./page.ts";
import { PageError, readSession, requireSecret } from "./session.ts";

export async function showSignIn(c: PageContext): Promise<Response> {
  if (await readSession(c)) return c.redirect(readNext(c));
  return c.html(
    <Plain title="Sign in" scripts={["sign-in"]}>
      <h1>Sign in</h1>
      <p>We send a code to your email address. There is no password.</p>
      <form id="email-form" method="post" data-next={readNext(c)}>
        <label for="email">Email address</label>
        <input
          id="email"
          name="email"
          type="email"
          autocomplete="email webauthn"
          required
          autofocus
          value={c.req.query("email") ?? ""}
        />
        <button class="primary" type="submit">
          Send the code
        </button>
      </form>
      <form id="code-form" method="post" hidden>
        <label for="code">
          Code from the mail to <strong id="sent-to" />
        </label>
        <input
          id="code"
          name="code"
          inputmode="numeric"
          autocomplete="one-time-code"
          pattern="[0-9]{6}"
          maxlength={6}
          required
          aria-describedby="code-hint"
        />
        <p id="code-hint" class="hint">
          Six digits, valid for ten minutes.
        </p>
        <button class="primary" type="submit">
          Sign in
        </button>
        <button class="link" type="button" id="other-address">
          Use another address
        </button>
      </form>
      <p id="passkey-sign-in" class="row" hidden>
        <button type="button">Sign in with a passkey</button>
      </p>
      <p id="problem" role="alert" class="problem" hidden />
      <noscript>
        <p class="problem">Signing in needs JavaScript.</p>
      </noscript>
    </Plain>,
  );
}

/** A path of the dashboard or of the editor; a page of another host is never the target. */
function readNext(c: PageContext): string {
  const next = c.req.query("next") ?? "";
  return /^\/(dashboard|editor)(\/[\w./-]*)?(\?[\w.=&%+-]*)?$/.test(next) ? next : "/dashboard";
}

/** Of a passkey, in characters. */
export const MAX_NAME_LENGTH = 60;

const Address = z.object({ email: z.email().max(254) });

/** By method and path. */
const OPERATIONS: Record<string, (c: PageContext) => Promise<Response>> = {
  "POST /auth/email-otp/send-verification-otp": async (c) => {
    const email = await readAddress(c, "sign_in_codes");
    // The same response for every address, so that it does not show who has an account.
    if (!(await maySignIn(c.var.services.db, email, c.var.now))) return c.json({ success: true });
    return forward(c, { email, type: "sign-in" });
  },
  "POST /auth/sign-in/email-otp": async (c) => {
    const email = await readAddress(c, "sign_in_attempts");
    const { otp } = await c.req.json<{ otp?: unknown }>();
    return forward(c, { email, otp: String(otp ?? "") });
  },
  "POST /auth/sign-out": (c) => forward(c, {}),
  "GET /auth/passkey/generate-authenticate-options": async (c) => {
    await limitChallenges(c);
    return forward(c);
  },
  "POST /auth/passkey/verify-authentication": async (c) => forward(c, await c.req.json<object>().catch(() => ({}))),
  // The two below need a session that is less than a day old, which better-auth checks.
  "GET /auth/passkey/generate-register-options": async (c) => {
    await limitChallenges(c);
    return forward(c);
  },
  "POST /auth/passkey/verify-registration": async (c) => {
    const { response, name } = await c.req.json<{ response?: unknown; name?: unknown }>().catch(() => ({}) as never);
    const label =
      String(name ?? "")
        .trim()
        .slice(0, MAX_NAME_LENGTH) || "Passkey";
    const verification = await forward(c, { response, name: label });
    if (verification.ok) c.executionCtx.waitUntil(reportNewPasskey(c, label));
    return verification;
  },
};

export async function handleAuth(c: PageContext): Promise<Response> {
  const operation = OPERATIONS[`${c.req.method} ${c.req.path}`];
  if (!operation) throw new PageError(404, "There is no such operation.");
  return operation(c);
}

/** The address in lower case, after its rate limit. */
async function readAddress(c: PageContext, limit: PolicyName): Promise<string> {
  const parsed = Address.safeParse(await c.req.json().catch(() => null));
  if (!parsed.success) throw new PageError(400, "Enter an email address.");
  const email = parsed.data.email.toLowerCase();
  const { error } = await consumeRateLimits(c.var.services.redis, [limit], sha256Hex(email), c.var.now, {});
  if (error) throw new PageError(429, "Too many codes or attempts for this address. Try again in an hour.");
  return email;
}

/** Each stores a row for five minutes, and only the address of the caller is known. */
async function limitChallenges(c: PageContext): Promise<void> {
  const address = sha256Hex(`address ${c.req.header("cf-connecting-ip") ?? ""}`);
  const { error } = await consumeRateLimits(c.var.services.redis, ["passkey_challenges"], address, c.var.now, {});
  if (error) throw new PageError(429, "Too many attempts from this network. Try again in an hour.");
}

/** A passkey opens everything, so its owner learns of a new one by another way. */
async function reportNewPasskey(c: PageContext, name: string): Promise<void> {
  const { services, origin, requestId } = c.var;
  const session = await readSession(c);
  if (!session) return;
  const { email } = session.person;
  const text = `The passkey "${name}" can sign in as ${email} from now on.

If you did not add it, remove it here and inform the administrator of your workspace:
${origin}/dashboard/passkeys`;
  const mail = { to: email, subject: "A passkey was added to your sign-in", text };
  await sendMail(services, { ...mail, idempotencyKey: `passkey/${requestId}` });
}

/** A GET without a body, a POST with one. */
async function forward(c: PageContext, body?: object): Promise<Response> {
  const { services, origin } = c.var;
  const headers = new Headers(c.req.raw.headers);
  headers.set("content-type", "application/json");
  headers.delete("content-length");
  const post = body ? { method: "POST", body: JSON.stringify(body) } : {};
  const request = new Request(`${origin}${c.req.path}`, { headers, ...post });
  return createAuth(services, origin, requireSecret(c)).handler(request);
}
