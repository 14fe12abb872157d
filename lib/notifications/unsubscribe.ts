// The link that ends a person's mails. It is signed, needs no sign-in, and can do nothing else.
import type { Services } from "../services/context.ts";
import { digestsMatch, hmacSha256Hex } from "../shared/crypto.ts";
import { isUuid } from "../shared/ids.ts";
import { UNSUBSCRIBE_PATH } from "../shared/paths.ts";

type Settings = Pick<Services["env"], "SESSION_SECRET">;

function sign({ SESSION_SECRET }: Settings, personId: string): string {
  if (!SESSION_SECRET) throw new Error("SESSION_SECRET is not set: at least 32 characters.");
  return hmacSha256Hex(SESSION_SECRET, `unsubscribe ${personId}`);
}

export function buildUnsubscribePath(env: Settings, personId: string): string {
  return `${UNSUBSCRIBE_PATH}/${personId}.${sign(env, personId)}`;
}

/** The person of a link; null when it is not one of ours. */
export function readUnsubscribeToken(env: Settings, token: string): string | null {
  const [personId = "", mac = ""] = token.split(".");
  return isUuid(personId) && digestsMatch(mac, sign(env, personId)) ? personId : null;
}
