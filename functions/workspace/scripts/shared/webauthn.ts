// Creates passkeys and signs in with them, by @simplewebauthn/browser. Each function returns a sentence for the person when it
// failed, and null when it succeeded.
import { startAuthentication, startRegistration } from "@simplewebauthn/browser";
import { postJson } from "./form.ts";

type CreationOptions = Parameters<typeof startRegistration>[0]["optionsJSON"];
type RequestOptions = Parameters<typeof startAuthentication>[0]["optionsJSON"];

const FOLDER = "/auth/passkey";

export async function createPasskey(name: string): Promise<string | null> {
  const optionsJSON = await readOptions<CreationOptions>("generate-register-options");
  if (typeof optionsJSON === "string") return optionsJSON;
  const credential = await startRegistration({ optionsJSON }).catch(describeFailure);
  return typeof credential === "string" ? credential : verify("verify-registration", { response: credential, name });
}

/** The button ends the offer beside the address, even while the offer's options are on their way. */
let isButtonPressed = false;

/** With `offer`, the browser shows its passkeys where the address is typed, and the promise waits until one is chosen. */
export async function signInWithPasskey({ offer = false } = {}): Promise<string | null> {
  if (!offer) isButtonPressed = true;
  const optionsJSON = await readOptions<RequestOptions>("generate-authenticate-options");
  if (typeof optionsJSON === "string") return optionsJSON;
  if (offer && isButtonPressed) return describeFailure({ name: "AbortError" });
  const credential = await startAuthentication({ optionsJSON, useBrowserAutofill: offer }).catch(describeFailure);
  return typeof credential === "string" ? credential : verify("verify-authentication", { response: credential });
}

async function readOptions<Options>(path: string): Promise<Options | string> {
  const response = await fetch(`${FOLDER}/${path}`).catch(() => null);
  if (response?.ok) return (await response.json()) as Options;
  if (response?.status === 401 || response?.status === 403)
    return "For this you have to sign in again: your sign-in is over a day old. Sign out, then sign in.";
  if (response?.status === 429) return "Too many attempts from this network. Try again in an hour.";
  return "The server could not be reached. Try again.";
}

function describeFailure({ name }: { name: string }): string {
  if (name === "InvalidStateError") return "This device has a passkey for your account already.";
  if (name === "NotAllowedError" || name === "AbortError") return "Nothing was chosen, or it took too long. Try again.";
  // https://www.w3.org/TR/webauthn-3/#rp-id: an id is a domain.
  if (name === "SecurityError" && location.hostname === "127.0.0.1")
    return `Browsers keep passkeys for host names only. Open http://localhost:${location.port} instead of the IP address.`;
  return "This browser cannot use a passkey here. Sign in with a code.";
}

async function verify(path: string, body: object): Promise<string | null> {
  const response = await postJson(`${FOLDER}/${path}`, body);
  if (response?.ok) return null;
  return response?.status === 401
    ? "This passkey is not known here; it may have been removed. Sign in with a code."
    : "The passkey was not accepted. Try again, or sign in with a code.";
}
