// Signs the seeded owner in as a person does: asks for a code, and reads it from the mail.
import { setTimeout as sleep } from "node:timers/promises";
import { OWNER_EMAIL } from "./seed.ts";

const MAX_ATTEMPTS = 100;
const PAUSE_MS = 50;

interface Mail {
  id: string;
  to: string[];
  text: string;
}

/** The link of the mail, which signs in once. */
export async function requestSignInLink(origin: string, mailsUrl: string): Promise<string> {
  const known = new Set((await readMails(mailsUrl)).map(({ id }) => id));
  const response = await post(`${origin}/auth/email-otp/send-verification-otp`, origin, { type: "sign-in" });
  if (!response.ok) throw new Error(`The code could not be asked for: HTTP ${response.status}.`);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const mail = (await readMails(mailsUrl)).find(({ id, to }) => to.includes(OWNER_EMAIL) && !known.has(id));
    const link = mail?.text.match(/https?:\S+#\d{6}/)?.[0];
    if (link) return link;
    await sleep(PAUSE_MS);
  }
  throw new Error("The mail with the code did not arrive.");
}

/** The cookies of a new session. `userAgent` names the browser in the list of sign-ins. */
export async function signInOwner(origin: string, mailsUrl: string, userAgent = ""): Promise<string[]> {
  const [, otp] = (await requestSignInLink(origin, mailsUrl)).split("#");
  const response = await post(`${origin}/auth/sign-in/email-otp`, origin, { otp }, { "User-Agent": userAgent });
  if (!response.ok) throw new Error(`The code was not accepted: HTTP ${response.status}.`);
  return response.headers.getSetCookie();
}

async function readMails(mailsUrl: string): Promise<Mail[]> {
  return (await fetch(mailsUrl)).json() as Promise<Mail[]>;
}

function post(url: string, origin: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: origin, ...headers },
    body: JSON.stringify({ email: OWNER_EMAIL, ...body }),
  });
}
