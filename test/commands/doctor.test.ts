// Runs the doctor and the setup with an empty, a half and a full configuration.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { diagnose, listRequiredNames } from "../../functions/commands/doctor.ts";
import { listSteps } from "../../functions/commands/setup.ts";
import { LINKEDIN_PAGES_SETTINGS, NETWORK_SETTINGS, SETTING_NAMES } from "../../lib/services/env.ts";
import { PLATFORMS } from "../../lib/shared/platforms.ts";

const COMMANDS = join(import.meta.dirname, "../../functions/commands");

const FULL = {
  DATABASE_URL: "postgres://host/db",
  UPSTASH_REDIS_REST_URL: "https://redis.example.com",
  UPSTASH_REDIS_REST_TOKEN: "token",
  S3_ENDPOINT: "https://storage.example.com",
  S3_ACCESS_KEY_ID: "id",
  S3_SECRET_ACCESS_KEY: "secret",
  CDN_URL: "https://cdn.example.com",
  TOKEN_KEY: `${"A".repeat(43)}=`,
  SESSION_SECRET: "s".repeat(32),
  MAIL_API_KEY: "mail-key",
  MAIL_FROM: "Partner API <hello@example.com>",
  PUBLIC_URL: "https://api.example.com",
};
const { MAIL_FROM: _, PUBLIC_URL: __, ...ALMOST } = FULL;
const HALF = { ...ALMOST, TOKEN_KEY: "too-short", SESSION_SECRET: "short", TIKTOK_CLIENT_ID: "a", PUBLIC_ULR: "x" };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "doctor-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a command on a file with these settings. */
async function run(command: string, vars: Record<string, string>, ...options: string[]) {
  const file = join(folder, "secrets.env");
  await writeFile(
    file,
    Object.entries(vars).map(([name, value]) => `${name}="${value}"\n`),
  );
  return new Promise<{ code: number; lines: string[] }>((resolve) => {
    const args = [join(COMMANDS, command), "--file", file, ...options];
    execFile(process.execPath, args, { env: {} }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), lines: `${stdout}${stderr}`.split("\n") });
    });
  });
}

const listBlocking = (vars: Record<string, string>, target: "production" | "preview" | "solo" = "production") =>
  diagnose(vars, target).filter(({ level }) => level === "missing" || level === "wrong");

test("an empty configuration lacks every required variable, a full one nothing", async () => {
  expect(listBlocking({}).map(({ text }) => text.split(":")[0])).toEqual(Object.keys(FULL));
  expect(listRequiredNames()).toEqual(Object.keys(FULL));
  const [empty, full] = [await run("doctor.ts", {}), await run("doctor.ts", FULL)];
  expect(empty.lines.filter((line) => line.startsWith("missing"))).toHaveLength(Object.keys(FULL).length);
  expect([empty.code, empty.lines.at(-2)]).toEqual([
    1,
    "12 settings to repair before a production deployment can start.",
  ]);
  expect([full.code, full.lines.at(-2)]).toEqual([0, "A production deployment can start."]);
});

test("a half configuration differs from a missing one, a misspelled name is pointed out, and no value is printed", async () => {
  const { code, lines } = await run("doctor.ts", HALF);
  expect([code, lines.filter((line) => /^(missing|wrong|unknown) /.test(line))]).toEqual([
    1,
    [
      "missing  MAIL_FROM: the sender of these mails, such as Partner API <hello@example.com>.",
      "missing  PUBLIC_URL: the base URL of this Worker, such as https://api.example.com.",
      "wrong    TOKEN_KEY: must be 32 bytes in base64.",
      "wrong    SESSION_SECRET: must have at least 32 characters.",
      "wrong    TikTok: TIKTOK_CLIENT_SECRET is missing.",
      "unknown  PUBLIC_ULR: no setting has this name. Check its spelling, or remove it.",
    ],
  ]);
  expect(lines.join("\n")).not.toMatch(/too-short|mail-key/);
});

test("what is wrong is reported once", () => {
  const wrong = listBlocking({ ...FULL, MODEL_URL: "https://models.example.com/v1" });
  expect(wrong.map(({ text }) => text)).toEqual(["MODEL_NAME: must name a model of MODEL_URL."]);
});

test("the key for Bluesky must be a private one with a name", async () => {
  const pair = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
  ])) as CryptoKeyPair;
  const key = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey;
  const { d: _private, ...open } = key;
  for (const wrong of ["secret", JSON.stringify(key), JSON.stringify({ ...open, kid: "first" })]) {
    expect(listBlocking({ ...FULL, BLUESKY_CLIENT_SECRET: wrong })).toMatchObject([
      { level: "wrong", text: expect.stringMatching(/^BLUESKY_CLIENT_SECRET: must be a private JWK/) },
    ]);
  }
  expect(listBlocking({ ...FULL, BLUESKY_CLIENT_SECRET: JSON.stringify({ ...key, kid: "first" }) })).toEqual([]);
});

test("only a production deployment needs the settings of the dashboard", () => {
  const { SESSION_SECRET, MAIL_API_KEY, MAIL_FROM, ...api } = FULL;
  expect(listBlocking(api).map(({ text }) => text.split(":")[0])).toEqual([
    "SESSION_SECRET",
    "MAIL_API_KEY",
    "MAIL_FROM",
  ]);
  for (const target of ["preview", "solo"] as const) expect(listBlocking(api, target)).toEqual([]);
});

test("every setting of the operators' page is known to the doctor", async () => {
  const page = await readFile(join(import.meta.dirname, "../../.github/GOING_LIVE.md"), "utf8");
  const named = [...page.matchAll(/^\| (`.+?) +\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`((?:<NETWORK>_)?[A-Z][A-Z0-9_]+)`/g)].map(([, name = ""]) => name),
  );
  expect(named.length).toBeGreaterThan(25);
  const known = [
    ...SETTING_NAMES,
    ...["<NETWORK>", ...PLATFORMS.map((platform) => platform.toUpperCase())].flatMap((network) =>
      NETWORK_SETTINGS.map((name) => `${network}_${name}`),
    ),
    ...LINKEDIN_PAGES_SETTINGS,
    "FACEBOOK_CONFIG_ID",
    "BLUESKY_CLIENT_SECRET",
  ];
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

test("a dry run of the setup prints every command, and what the settings lack; nothing is run", async () => {
  const [full, half] = [
    await run("setup.ts", FULL, "--dry-run", "--zone-id", "zone"),
    await run("setup.ts", HALF, "--dry-run"),
  ];
  expect(full.code).toBe(0);
  const commands = full.lines.filter((line) => line.startsWith(" ".repeat(12))).map((line) => line.trim());
  expect(commands.map((line) => line.replace(/\/\S+\/(cors|secrets)/, "$1"))).toEqual([
    "wrangler r2 bucket create uploads",
    "wrangler r2 bucket create files",
    "wrangler r2 bucket cors set uploads --file cors.json --force",
    "wrangler r2 bucket lifecycle add uploads abandoned-parts --abort-multipart-days 2 --force",
    ...["deliveries", "uploads", "confirmations", "refreshes", "webhooks", "dead-letters"].map(
      (name) => `wrangler queues create ${name}`,
    ),
    "wrangler r2 bucket domain add files --domain cdn.example.com --zone-id zone --force",
    "wrangler secret bulk secrets.env",
    "wrangler secret bulk secrets.env -c functions/workspace/wrangler.toml",
    "wrangler secret bulk secrets.env -c functions/mcp/wrangler.toml",
    "wrangler secret bulk secrets.env -c functions/simulator/wrangler.toml",
  ]);
  expect(full.lines.join("\n")).not.toContain("By hand");
  expect(half.lines.join("\n")).toMatch(
    /unknown +PUBLIC_ULR: .*\n[\s\S]*has 5 settings to repair.*setup creates nothing/,
  );
  expect(half.lines.slice(0, 2)).toEqual([
    "missing     MAIL_FROM: the sender of these mails, such as Partner API <hello@example.com>.",
    "missing     PUBLIC_URL: the base URL of this Worker, such as https://api.example.com.",
  ]);
});

test("the setup creates nothing while a setting is missing or wrong", async () => {
  const { code, lines } = await run("setup.ts", HALF);
  expect([code, lines.filter((line) => line.startsWith("made"))]).toEqual([1, []]);
  expect(lines.join("\n")).toContain("secrets.env has 5 settings to repair, as listed above. Nothing was created.");
});

test("secrets are set for the API, the dashboard, the tools and the simulator, and only when a file is given", () => {
  const count = (secrets: string | null) => listSteps({ cors: "cors.json", secrets }).length;
  expect(count("secrets.env")).toBe(count(null) + 4);
});
