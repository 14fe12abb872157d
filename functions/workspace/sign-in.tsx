// The sign-in page: asks for an email address, then for the code of the mail; or for a passkey.
import { CODE_SECONDS } from "./auth.ts";
import { Plain } from "./layout.tsx";
import type { PageContext } from "./page.ts";
import { readSession } from "./session.ts";
import { findCodeRequest } from "./sign-in-browser.ts";

export async function showSignIn(c: PageContext): Promise<Response> {
  if (await readSession(c)) return c.redirect(readNext(c));
  const email = c.req.query("email") ?? "";
  // Only there the link of the mail signs in by itself: somebody else may have sent it to this visitor.
  const isOwnRequest = findCodeRequest(c, email.trim().toLowerCase(), CODE_SECONDS) !== null;
  return c.html(
    <Plain title="Sign in" scripts={["sign-in"]}>
      <h1>Sign in</h1>
      <p>We send a code to your email address. There is no password.</p>
      <form id="email-form" method="post" data-next={readNext(c)}>
        <label for="email">Email address</label>
        <input id="email" name="email" type="email" autocomplete="email webauthn" required autofocus value={email} />
        <button class="primary" type="submit">
          Send the code
        </button>
      </form>
      <form id="code-form" method="post" hidden data-own-request={isOwnRequest ? "true" : undefined}>
        <label for="code">
          Code from the mail to <strong id="sent-to" />
        </label>
        <input
          id="code"
          name="code"
          inputmode="numeric"
          autocomplete="one-time-code"
          required
          aria-describedby="code-hint"
        />
        <p id="code-hint" class="hint">
          Six digits, valid for ten minutes. They are sent to people who have an account or an invitation; look into the
          spam folder too.
        </p>
        <p id="other-browser" class="notice problem" hidden>
          This link was opened in a browser in which nobody asked for the code. Sign in only if you asked for it
          yourself, and only if the address above is yours.
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

/** A path of the dashboard or of the editor, or a consent; a page of another host is never the target. */
function readNext(c: PageContext): string {
  const next = c.req.query("next") ?? "";
  return /^\/(dashboard|editor|oauth\/authorize)(\/[\w./-]*)?(\?[\w.=&%+*-]*)?$/.test(next) ? next : "/dashboard";
}
