// `npm run admin -- keys rotate-token-key`: encrypts every stored token, and every secret of an app or a webhook, with the current
// key, while the service runs.

import pLimit from "p-limit";
import { openWebhookSecret, sealWebhookSecret } from "../../lib/events/webhook-secrets.ts";
import {
  type EncryptedTokens,
  listAppsOfOtherKey,
  listEncryptedWithOtherKey,
  listWebhooksOfOtherKey,
  replaceAppSecret,
  replaceTokens,
  replaceWebhookSecrets,
} from "../../lib/queries/token-rotation.ts";
import type { Db } from "../../lib/services/database.ts";
import { openAppSecret, sealAppSecret } from "../../lib/services/network-app.ts";
import { at } from "../../lib/shared/at.ts";
import { toResult } from "../../lib/shared/result.ts";
import { decryptToken, encryptToken, getKeyId, type TokenKeys } from "../../lib/shared/token-encryption.ts";

const BATCH = 100;
/** Few, so that the service's own queries do not wait. */
const CONCURRENCY = 8;

export interface Rotation {
  /** Apps of customers whose secret is now encrypted with the current key. */
  apps: number;
  /** Webhooks whose secrets are now encrypted with the current key. */
  webhooks: number;
  /** Accounts whose tokens are now encrypted with the current key. */
  replaced: number;
  /** Accounts, apps and webhooks whose tokens or secrets neither key decrypts. */
  failed: string[];
}

/**
 * Repeats until no token of another key is left: a token that the service stores in between, still with the previous
 * key, is found by the next pass. Tokens that cannot be decrypted are reported and left as they are. Throws when the
 * database does not respond: what is done is done, and the next run continues.
 */
export async function rotateTokenKey(db: Db, keys: TokenKeys, log: (line: string) => void): Promise<Rotation> {
  const failed = new Set<string>();
  let replaced = 0;
  for (let changed = true; changed; ) {
    changed = false;
    let afterId: string | null = null;
    for (;;) {
      const batch: EncryptedTokens[] = await listEncryptedWithOtherKey(db, {
        keyId: getKeyId(keys.current),
        afterId,
        limit: BATCH,
      });
      const results = await pLimit(CONCURRENCY).map(batch, (row) => rotateTokens(db, keys, row));
      for (const [index, result] of results.entries()) {
        const id = at(batch, index).id;
        if (result === "undecryptable") failed.add(id);
        else failed.delete(id);
        changed ||= result !== "undecryptable";
        if (result === "replaced") replaced += 1;
      }
      if (batch.length > 0) log(`${replaced} accounts done`);
      afterId = batch.at(-1)?.id ?? null;
      if (batch.length < BATCH) break;
    }
  }
  const apps = await rotateSecrets({
    list: () => listAppsOfOtherKey(db, getKeyId(keys.current)),
    seal: async (row) => {
      const secret = await openAppSecret({ tokenKeys: keys }, row, row.clientSecret);
      return sealAppSecret({ tokenKeys: keys }, row, secret);
    },
    replace: (row, sealed) => replaceAppSecret(db, row, sealed),
  });
  const webhooks = await rotateSecrets({
    list: () => listWebhooksOfOtherKey(db, getKeyId(keys.current)),
    seal: async ({ id, secret, previousSecret }) => {
      const sealAgain = async (sealed: string) =>
        sealWebhookSecret({ tokenKeys: keys }, id, await openWebhookSecret({ tokenKeys: keys }, id, sealed));
      return { secret: await sealAgain(secret), previousSecret: previousSecret && (await sealAgain(previousSecret)) };
    },
    replace: (row, sealed) => replaceWebhookSecrets(db, row, sealed),
  });
  const undecryptable = [...failed, ...apps.failed, ...webhooks.failed];
  return { replaced, apps: apps.replaced, webhooks: webhooks.replaced, failed: undecryptable };
}

/** Rows of a table that is small enough to be read at once. */
interface SecretTable<Row, Sealed> {
  list(): Promise<Row[]>;
  /** Decrypts with either key, and encrypts with the current one. */
  seal(row: Row): Promise<Sealed>;
  replace(row: Row, sealed: Sealed): Promise<boolean>;
}

/** A secret that is saved in between by a service with the previous key is found by the next pass. */
async function rotateSecrets<Row extends { id: string }, Sealed>(
  table: SecretTable<Row, Sealed>,
): Promise<{ replaced: number; failed: string[] }> {
  const failed = new Set<string>();
  let replaced = 0;
  for (;;) {
    const open = (await table.list()).filter(({ id }) => !failed.has(id));
    if (open.length === 0) return { replaced, failed: [...failed] };
    for (const row of open) {
      const sealed = await toResult(table.seal(row));
      if (!sealed.ok) failed.add(row.id);
      else if (await table.replace(row, sealed.value)) replaced += 1;
    }
  }
}

/** `changed`: the service stored other tokens in between. */
async function rotateTokens(
  db: Db,
  keys: TokenKeys,
  row: EncryptedTokens,
): Promise<"replaced" | "changed" | "undecryptable"> {
  const encrypt = async (column: "access_token" | "refresh_token", encrypted: string | null) => {
    const location = { accountId: row.id, column };
    return encrypted && encryptToken(keys, location, await decryptToken(keys, location, encrypted));
  };
  const encrypted = await toResult(
    Promise.all([encrypt("access_token", row.accessToken), encrypt("refresh_token", row.refreshToken)]),
  );
  if (!encrypted.ok) return "undecryptable";
  const [accessToken, refreshToken] = encrypted.value;
  return (await replaceTokens(db, row, { id: row.id, accessToken, refreshToken })) ? "replaced" : "changed";
}
