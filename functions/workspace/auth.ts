// Sign-in by a code that is sent by email, or by a passkey: better-auth with its Drizzle adapter.
import { passkey } from "@better-auth/passkey";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { APIError } from "better-auth/api";
import { betterAuth } from "better-auth/minimal";
import { emailOTP } from "better-auth/plugins/email-otp";
import { passkeys, sessions, signInMethods, verifications } from "../../drizzle/schema/people.ts";
import { owners } from "../../drizzle/schema/tenants.ts";
import { getCookiePrefix } from "../../lib/http/page.ts";
import type { Services } from "../../lib/services/context.ts";
import { sendMail } from "../../lib/services/mail.ts";
import { DAY_SECONDS } from "../../lib/shared/durations.ts";
import { formatError } from "../../lib/shared/format-error.ts";
import { buildSignInLink } from "../../lib/shared/sign-in-link.ts";

const MINUTE_SECONDS = 60;
export const CODE_SECONDS = 10 * MINUTE_SECONDS;
/** The attempts that count are those of auth-operations.ts, per browser: here a stranger would use up those of the person. */
const MAX_ATTEMPTS = 1_000;
/** A session ends after this time, however it is used. */
const SESSION_SECONDS = 14 * DAY_SECONDS;
const COOKIE_PREFIX = "workspace";

interface AuthOptions {
  /** False: the code is stored as any other, and is neither sent nor guessable, so that the work for every address is the same. */
  mayReceiveCode?: boolean;
}

export function createAuth(services: Services, origin: string, secret: string, { mayReceiveCode = true }: AuthOptions) {
  const isSecure = origin.startsWith("https:");
  return betterAuth({
    baseURL: origin,
    basePath: "/auth",
    secret,
    database: drizzleAdapter(services.db, {
      provider: "pg",
      schema: {
        user: owners,
        session: sessions,
        account: signInMethods,
        verification: verifications,
        passkey: passkeys,
      },
    }),
    session: { expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    advanced: {
      // better-auth would prefix names with `__Secure-`, which other hosts of the domain may set.
      useSecureCookies: false,
      cookiePrefix: getCookiePrefix(origin) + COOKIE_PREFIX,
      database: { generateId: "uuid" },
      ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] },
      defaultCookieAttributes: { sameSite: "lax", httpOnly: true, secure: isSecure, path: "/" },
    },
    // Limited per email address before better-auth is called; an address of the network is shared by many people.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: {
      log: (level, message, ...details) => services.log({ level, auth: message, details: details.map(formatError) }),
    },
    databaseHooks: {
      user: {
        create: {
          // A person who was invited is known by nothing but the address.
          before: async (user) => ({ data: { ...user, name: user.name || (user.email.split("@")[0] ?? "") } }),
        },
      },
    },
    plugins: [
      passkey({
        rpName: "Partner API",
        origin,
        // A passkey replaces the code, so the device checks who holds it, and offers the key without a name being typed.
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        registration: { afterVerification: ({ verification }) => requireVerifiedPerson(verification.registrationInfo) },
        authentication: {
          afterVerification: ({ verification }) => requireVerifiedPerson(verification.authenticationInfo),
        },
      }),
      emailOTP({
        otpLength: 6,
        expiresIn: CODE_SECONDS,
        allowedAttempts: MAX_ATTEMPTS,
        storeOTP: "hashed",
        ...(mayReceiveCode ? {} : { generateOTP: () => crypto.randomUUID() }),
        async sendVerificationOTP({ email, otp }) {
          if (mayReceiveCode) await sendCode(services, origin, email, otp);
        },
      }),
    ],
  });
}

/** The plugin asks the device to check who holds it, and accepts the response of one that did not. */
function requireVerifiedPerson(info: { userVerified: boolean } | undefined): void {
  if (!info?.userVerified) throw new APIError("UNAUTHORIZED", { message: "The device did not check who holds it." });
}

async function sendCode(services: Services, origin: string, email: string, code: string): Promise<void> {
  await sendMail(services, {
    to: email,
    subject: `${code} is your sign-in code`,
    text: `Your sign-in code is ${code}. It is valid for ${CODE_SECONDS / MINUTE_SECONDS} minutes.

Or open this page, which enters it for you:
${buildSignInLink(origin, email, code)}

If you did not ask for it, ignore this mail: without the code, no one can sign in.`,
    idempotencyKey: `sign-in/${crypto.randomUUID()}`,
  });
}

export function getSessionCookieName(origin: string): string {
  return `${getCookiePrefix(origin)}${COOKIE_PREFIX}.session_token`;
}
