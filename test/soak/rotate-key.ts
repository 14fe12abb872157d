// Rotates the token key under load, in the steps of README: deploy with both keys, rotate, deploy without the previous one.
import { randomBytes } from "node:crypto";
import { type Rotation, rotateTokenKey } from "../../functions/commands/rotate-token-key.ts";
import { listEncryptedWithOtherKey } from "../../lib/queries/token-rotation.ts";
import { openDatabase } from "../../lib/services/database.ts";
import { getKeyId } from "../../lib/shared/token-encryption.ts";
import type { Table } from "../bench/section.ts";
import type { LocalStack } from "../local/stack.ts";

type Vars = Record<string, string>;

/** The settings of a deployment with a new key, while stored tokens still have the old one. */
export function addNewKey({ TOKEN_KEY: previous = "", ...vars }: Vars): Vars {
  return { ...vars, TOKEN_KEY: randomBytes(32).toString("base64"), TOKEN_KEY_PREVIOUS: previous };
}

/** The settings of the next deployment, which decrypts with the new key only. */
export function removePreviousKey({ TOKEN_KEY_PREVIOUS: _, ...vars }: Vars): Vars {
  return vars;
}

const MAX_RUNS = 10;

/** Runs the command again when the database did not respond in time, as an operator would. */
export async function rotateKey(stack: LocalStack, { TOKEN_KEY = "", TOKEN_KEY_PREVIOUS }: Vars): Promise<Rotation> {
  const db = openDatabase(stack.databaseConfig, "soak.rotation");
  for (let run = 1; ; run++) {
    try {
      const keys = { current: TOKEN_KEY, previous: TOKEN_KEY_PREVIOUS };
      return await rotateTokenKey(db, keys, () => undefined);
    } catch (error) {
      if (run === MAX_RUNS) throw error;
    }
  }
}

/** At the end: no token with the previous key is left, and no delivery failed because its token could not be decrypted. */
export async function tabulateRotation(stack: LocalStack, vars: Vars, rotation: Rotation): Promise<Table> {
  const db = openDatabase(stack.databaseConfig, "soak.rotation");
  const keyId = getKeyId(vars.TOKEN_KEY ?? "");
  const left = await listEncryptedWithOtherKey(db, { keyId, afterId: null, limit: 1_000 });
  const failed = await stack.database.query<{ code: string; deliveries: number }>(
    "select coalesce(error_code, 'none') as code, count(*)::int as deliveries from post_deliveries where status = 'failed' group by 1",
  );
  const codes = failed.map(({ code, deliveries }) => `${deliveries} ${code}`);
  return {
    title: "Rotation of the token key while posts went out",
    note: "The Worker starts with both keys and is restarted with the new one only.",
    rows: [
      {
        accounts: rotation.replaced,
        undecryptable: rotation.failed.length,
        "left with the previous key": left.length,
        "failed deliveries": codes.join(", ") || "none",
      },
    ],
    broken: [
      ...rotation.failed.map((id) => `the tokens of account ${id} could not be decrypted`),
      ...left.map(({ id }) => `account ${id} still has tokens of the previous key`),
      ...codes.filter((code) => !code.endsWith(" outcome_unknown")).map((code) => `deliveries failed: ${code}`),
    ],
  };
}
