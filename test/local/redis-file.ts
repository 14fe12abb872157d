// Saves the keys of a Redis to a file and restores them: strings, hashes, lists, sets and sorted sets.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Redis } from "ioredis";

type SavedKey = { key: string; type: string; parts: string[]; expiresAt: number };

// The commands that read and write each type.
const TYPES: Record<string, { read: string; from: string[]; write: string }> = {
  string: { read: "GET", from: [], write: "SET" },
  hash: { read: "HGETALL", from: [], write: "HSET" },
  list: { read: "LRANGE", from: ["0", "-1"], write: "RPUSH" },
  set: { read: "SMEMBERS", from: [], write: "SADD" },
  zset: { read: "ZRANGE", from: ["0", "-1", "WITHSCORES"], write: "ZADD" },
};

export async function saveKeys(client: Redis, file: string): Promise<void> {
  const saved: SavedKey[] = [];
  for (const key of await client.keys("*")) {
    const type = await client.type(key);
    const commands = TYPES[type];
    if (commands === undefined) continue;
    const value = (await client.callBuffer(commands.read, key, ...commands.from)) as Buffer | Buffer[] | null;
    const parts = [value ?? []].flat().map((part) => part.toString("base64"));
    saved.push({ key, type, parts, expiresAt: await client.pexpiretime(key) });
  }
  writeFileSync(file, JSON.stringify(saved));
}

export async function restoreKeys(client: Redis, file: string): Promise<void> {
  if (!existsSync(file)) return;
  for (const { key, type, parts, expiresAt } of JSON.parse(readFileSync(file, "utf8")) as SavedKey[]) {
    const write = TYPES[type]?.write;
    if (write === undefined || parts.length === 0) continue;
    const values = parts.map((part) => Buffer.from(part, "base64"));
    // ZRANGE returns member before score, ZADD expects score before member.
    if (type === "zset") values.reverse();
    await client.call(write, key, ...values);
    if (expiresAt > 0) await client.pexpireat(key, expiresAt);
  }
}
