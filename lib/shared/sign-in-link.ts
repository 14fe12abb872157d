// The link of a sign-in code.

/** Digits of the code in a link of `npm run admin -- sign-in link`, which is valid for days: nobody guesses 132 bits. */
export const LINK_CODE_LENGTH = 40;

/** The code is behind the `#`, so that it is in no log of a server, and a mail scanner that opens the page uses nothing. */
export function buildSignInLink(origin: string, email: string, code: string): string {
  return `${origin}/dashboard/sign-in?email=${encodeURIComponent(email)}#${code}`;
}
