// A link that signs the seeded owner in once: asked for as a person asks for a code, and read from the mail.
import { setTimeout as sleep } from "node:timers/promises";
import { OWNER_EMAIL } from "./seed.ts";

const MAX_ATTEMPTS = 50;

export async function requestSignInLink(origin: string, mailsUrl: string): Promise<string> {
  const response = await fetch(`${origin}/auth/email-otp/send-verification-otp`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: origin },
    body: JSON.stringify({ email: OWNER_EMAIL, type: "sign-in" }),
  });
  if (!response.ok) throw new Error(`The code could not be asked for: HTTP ${response.status}.`);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const mails: { to: string[]; text: string }[] = await (await fetch(mailsUrl)).json();
    const link = mails.find(({ to }) => to.includes(OWNER_EMAIL))?.text.match(/https?:\S+#\d{6}/)?.[0];
    if (link) return link;
    await sleep(100);
  }
  throw new Error("The mail with the code did not arrive.");
}
