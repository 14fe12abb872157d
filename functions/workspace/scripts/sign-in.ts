// Sign-in: requests a code by mail, then sends it. A link in the mail has the code behind the `#` of the address. A passkey
// replaces the code.
import { browserSupportsWebAuthn, browserSupportsWebAuthnAutofill } from "@simplewebauthn/browser";
import { isWholeCode, readCode } from "./shared/code.ts";
import { postJson, showProblem } from "./shared/form.ts";
import { signInWithPasskey } from "./shared/webauthn.ts";

const emailForm = document.querySelector<HTMLFormElement>("#email-form");
const codeForm = document.querySelector<HTMLFormElement>("#code-form");
const email = document.querySelector<HTMLInputElement>("#email");
const code = document.querySelector<HTMLInputElement>("#code");
const passkey = document.querySelector<HTMLElement>("#passkey-sign-in");
const sentTo = document.querySelector<HTMLElement>("#sent-to");

async function post(path: string, body: object): Promise<boolean> {
  const response = await postJson(path, body);
  if (response?.ok) return true;
  const isRequest = path.includes("send");
  const problems: Record<number, string> = isRequest
    ? {
        400: "Enter an email address.",
        429: "Too many codes were asked for. Use the newest mail, or try again in an hour.",
      }
    : {
        400: "This code is wrong or has ended. After three wrong codes, ask for a new one.",
        429: "Too many codes were tried for this address. Enter the code in the browser in which you asked for it, or ask for a new one here.",
      };
  const other = isRequest ? "The code could not be sent. Try again." : "The code could not be checked. Try again.";
  showProblem(problems[response?.status ?? 0] ?? other);
  return false;
}

/** Whoever sends a link with a code of their own would sign this visitor in as themselves, so the link asks first. */
function setWarning(isShown: boolean): void {
  const warning = document.querySelector<HTMLElement>("#other-browser");
  if (warning) warning.hidden = !isShown;
  const button = codeForm?.querySelector("button");
  if (button) button.textContent = isShown ? `Sign in as ${email?.value}` : "Sign in";
  if (isShown) button?.focus();
}

function showCodeForm(): void {
  if (emailForm) emailForm.hidden = true;
  if (codeForm) codeForm.hidden = false;
  if (sentTo) sentTo.textContent = email?.value ?? "";
  code?.focus();
}

/** The sixth digit sends the code, and Enter after it would send it again. */
let isSigningIn = false;

async function signIn(): Promise<void> {
  if (isSigningIn) return;
  const otp = readCode(code?.value ?? "");
  if (!isWholeCode(otp)) {
    showProblem("The code has six digits. Copy them from the newest mail, without anything else.");
    return;
  }
  isSigningIn = true;
  showProblem("");
  const done = await post("/auth/sign-in/email-otp", { email: email?.value, otp });
  isSigningIn = false;
  if (done) openDashboard();
  else code?.select();
}

/** The button and the offer beside the address may both succeed, and a second navigation would abort the first. */
let isOpening = false;

function openDashboard(): void {
  if (isOpening) return;
  isOpening = true;
  location.assign(emailForm?.dataset.next ?? "/dashboard");
}

/** The offer beside the field of the address waits; a press of the button ends it, as a browser asks one thing at a time. */
async function offerPasskeys(): Promise<void> {
  if (!(await browserSupportsWebAuthnAutofill())) return;
  if ((await signInWithPasskey({ offer: true })) === null) openDashboard();
}

if (browserSupportsWebAuthn()) {
  if (passkey) passkey.hidden = false;
  void offerPasskeys();
}
passkey?.querySelector("button")?.addEventListener("click", async () => {
  showProblem("");
  const failure = await signInWithPasskey();
  if (failure) showProblem(failure);
  else openDashboard();
});
emailForm?.addEventListener("submit", async (event) => {
  event.preventDefault();
  showProblem("");
  if (await post("/auth/email-otp/send-verification-otp", { email: email?.value, type: "sign-in" })) showCodeForm();
});
codeForm?.addEventListener("submit", (event) => {
  event.preventDefault();
  void signIn();
});
code?.addEventListener("input", () => {
  const digits = readCode(code.value);
  if (!isWholeCode(digits)) return;
  code.value = digits;
  void signIn();
});
document.querySelector("#other-address")?.addEventListener("click", () => {
  if (code) code.value = "";
  setWarning(false);
  if (emailForm) emailForm.hidden = false;
  if (codeForm) codeForm.hidden = true;
  showProblem("");
  email?.focus();
});

const given = readCode(location.hash.slice(1));
if (isWholeCode(given) && email?.value && code) {
  history.replaceState(null, "", location.pathname);
  showCodeForm();
  code.value = given;
  if (codeForm?.dataset.ownRequest) void signIn();
  else setWarning(true);
}
