// What the doctor and the setup say about a configuration.
import { expect, test } from "vitest";
import { diagnose } from "../../drizzle/commands/doctor.ts";
import { listSteps } from "../../drizzle/commands/setup.ts";

const FULL = {
  DATABASE_URL: "postgres://host/db",
  UPSTASH_REDIS_REST_URL: "https://redis.example.com",
  UPSTASH_REDIS_REST_TOKEN: "token",
  S3_ENDPOINT: "https://storage.example.com",
  S3_ACCESS_KEY_ID: "id",
  S3_SECRET_ACCESS_KEY: "secret",
  CDN_URL: "https://cdn.example.com",
  TOKEN_KEY: `${"A".repeat(43)}=`,
  PUBLIC_URL: "https://api.example.com",
};
const listBlocking = (vars: Record<string, string>) =>
  diagnose(vars, "production").filter(({ level }) => level === "missing" || level === "wrong");

test("an empty configuration lacks every required variable, a full one nothing", () => {
  expect(listBlocking({}).map(({ text }) => text.split(":")[0])).toEqual(Object.keys(FULL));
  expect(listBlocking(FULL)).toEqual([]);
});

test("a half configuration differs from a missing one, and no value is printed", () => {
  const found = listBlocking({ ...FULL, TOKEN_KEY: "too-short", TIKTOK_CLIENT_ID: "a" });
  expect(found).toEqual([
    { level: "wrong", text: "TOKEN_KEY: must be 32 bytes in base64." },
    { level: "wrong", text: "TikTok: TIKTOK_CLIENT_SECRET is missing." },
  ]);
});

test("secrets are set from a file only when one is given", () => {
  const count = (secrets: string | null) => listSteps({ cors: "cors.json", secrets }).length;
  expect(count("secrets.env")).toBe(count(null) + 1);
});
