// The operations of better-auth that the sign-in page and the page of passkeys need. Nothing else of it is reachable.
import * as z from "zod";
import { consumeRateLimits, type PolicyName } from "../../lib/http/rate-limits.ts";
import { maySignIn } from "../../lib/queries/sessions.ts";
import { requireMailSettings, sendMail } from "../../lib/services/mail.ts";
import { sha256Hex } from "../../lib/shared/crypto.ts";
import { CODE_SECONDS, createAuth } from "./auth.ts";
import type { PageContext } from "./page.ts";
import { readJson } from "./request-body.ts";
import { readCode } from "./scripts/shared/code.ts";
import { PageError, readSession, requireSecret } from "./session.ts";
import { findCodeRequest, findKnownBrowser, noteCodeRequest, noteSignIn } from "./sign-in-browser.ts";

/** Of a passkey, in characters. */
export const MAX_NAME_LENGTH = 60;

const Address = z.object({ email: z.email().max(254).toLowerCase() });
const Attempt = Address.extend({ otp: z.union([z.string().max(100), z.int().nonnegative()]) });
const Registration = z.object({ response: z.looseObject({ id: z.string() }), name: z.string().optional() });

/** By method and path. */
const OPERATIONS: Record<string, (c: PageContext) => Promise<Response>> = {
  "POST /auth/email-otp/send-verification-otp": sendCode,
  "POST /auth/sign-in/email-otp": tryCode,
  "POST /auth/sign-out": (c) => forward(c, {}),
  "GET /auth/passkey/generate-authenticate-options": async (c) => {
    await limit(c, "passkey_challenges", getNetwork(c), "Too many attempts from this network. Try again in an hour.");
    return forward(c);
  },
  "POST /auth/passkey/verify-authentication": async (c) => {
    const parsed = z.looseObject({}).safeParse(await readJson(c));
    if (!parsed.success) throw new PageError(400, "Send what the device answered, as the field response.");
    return forward(c, parsed.data);
  },
  // The two below need a session that is less than a day old, which better-auth checks.
  "GET /auth/passkey/generate-register-options": async (c) => {
    await limit(c, "passkey_challenges", getNetwork(c), "Too many attempts from this network. Try again in an hour.");
    return forward(c);
  },
  "POST /auth/passkey/verify-registration": async (c) => {
    const parsed = Registration.safeParse(await readJson(c));
    if (!parsed.success) throw new PageError(400, "Send what the device answered, as the field response.");
    const { response, name = "" } = parsed.data;
    const label = name.trim().slice(0, MAX_NAME_LENGTH) || "Passkey";
    const verification = await forward(c, { response, name: label });
    if (verification.ok) c.var.services.waitUntil(reportNewPasskey(c, response.id, label));
    return verification;
  },
};

export async function handleAuth(c: PageContext): Promise<Response> {
  const operation = OPERATIONS[`${c.req.method} ${c.req.path}`];
  if (!operation) throw new PageError(404, "There is no such operation.");
  return operation(c);
}

const TOO_MANY_CODES = "Too many codes were asked for. Use the newest mail, or try again in an hour.";

/** A mail is usually on its way by then. */
const SEND_MS = 400;

/** The work that depends on the address runs beside a response of fixed content and time, so that neither shows who has an account. */
async function sendCode(c: PageContext): Promise<Response> {
  const parsed = Address.safeParse(await readJson(c));
  if (!parsed.success) throw new PageError(400, "Enter an email address.");
  const { email } = parsed.data;
  const { services } = c.var;
  requireMailSettings(services.env);
  await limit(c, "sign_in_codes_network", getNetwork(c), TOO_MANY_CODES);
  const browser = findKnownBrowser(c, email);
  await (browser
    ? limit(c, "sign_in_codes", `${browser} ${email}`, TOO_MANY_CODES)
    : limit(c, "sign_in_codes_elsewhere", email, TOO_MANY_CODES));
  noteCodeRequest(c, email);
  services.waitUntil(
    (async () => {
      const mayReceiveCode = await maySignIn(services.db, email, c.var.now);
      const response = await forward(c, { email, type: "sign-in" }, { mayReceiveCode });
      if (!response.ok) throw new Error(`The code could not be sent: HTTP ${response.status}.`);
    })(),
  );
  await services.wait(SEND_MS);
  return c.json({ success: true });
}

/**
 * The browser that asked for a code has attempts of its own for it. All other browsers share theirs, so that they cannot use
 * up those of the person.
 */
async function tryCode(c: PageContext): Promise<Response> {
  const parsed = Attempt.safeParse(await readJson(c));
  if (!parsed.success) throw new PageError(400, "Send an email address, and the code as the field otp.");
  const { email, otp } = parsed.data;
  const request = findCodeRequest(c, email, CODE_SECONDS);
  if (request) {
    const { error } = await consume(c, "sign_in_attempts", `${request} ${email}`);
    if (error) return rejectCode(c);
  } else {
    const text =
      "Too many codes were tried for this address. Enter the code in the browser in which you asked for it, or ask for a new one here.";
    await limit(c, "sign_in_attempts_elsewhere", email, text);
  }
  const response = await forward(c, { email, otp: readCode(String(otp)) });
  if (response.status >= 400 && response.status < 500) return rejectCode(c);
  if (response.ok) noteSignIn(c, email);
  // With the cookie that was just set.
  return c.newResponse(response.body, response);
}

/** The same for every reason: whether there is a code for an address shows who has an account. */
function rejectCode(c: PageContext): Response {
  const message = "This code is wrong or has ended. After three wrong codes, ask for a new one.";
  return c.json({ code: "INVALID_OTP", message }, 400);
}

/** The address of the network is shared by many people. */
function getNetwork(c: PageContext): string {
  return `address ${c.req.header("cf-connecting-ip") ?? ""}`;
}

function consume(c: PageContext, policy: PolicyName, subject: string) {
  return consumeRateLimits(c.var.services.redis, [policy], sha256Hex(subject), c.var.now, {});
}

async function limit(c: PageContext, policy: PolicyName, subject: string, message: string): Promise<void> {
  const { error } = await consume(c, policy, subject);
  if (error) throw new PageError(429, message);
}

/** A passkey opens everything, so its owner learns of a new one by another way. */
async function reportNewPasskey(c: PageContext, credentialId: string, name: string): Promise<void> {
  const { services, origin } = c.var;
  const session = await readSession(c);
  if (!session) return;
  const { email } = session.person;
  const text = `The passkey "${name}" can sign in as ${email} from now on.

If you did not add it, remove it here and inform the administrator of your workspace:
${origin}/dashboard/passkeys`;
  const mail = { to: email, subject: "A passkey was added to your sign-in", text };
  await sendMail(services, { ...mail, idempotencyKey: `passkey/${sha256Hex(credentialId)}` });
}

/** A GET without a body, a POST with one. */
async function forward(c: PageContext, body?: object, options: { mayReceiveCode?: boolean } = {}): Promise<Response> {
  const { services, origin } = c.var;
  const headers = new Headers(c.req.raw.headers);
  headers.set("content-type", "application/json");
  headers.delete("content-length");
  const post = body ? { method: "POST", body: JSON.stringify(body) } : {};
  const request = new Request(`${origin}${c.req.path}`, { headers, ...post });
  return createAuth(services, origin, requireSecret(c), options).handler(request);
}
