// Why a request of a script has no response that it can read, as sentences for people.

export const CONNECTION_LOST = "The connection was lost. Try again.";

/** The sentence for a page in place of JSON, such as the one for people who are signed out. */
export function describePage({ status, redirected }: Response): string {
  if (redirected || status === 401 || status === 403)
    return "You are signed out. Sign in in another window, then try again here.";
  return `The service responded with ${status}. Try again in a moment.`;
}
