// `npm run doctor [-- --for production|preview|solo] [--file secrets.env]`: what a configuration lacks, in plain words.

import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs, parseEnv } from "node:util";
import { LINKEDIN_PAGES_SETTINGS, NETWORK_SETTINGS, readEnv, SETTING_NAMES } from "../../lib/services/env.ts";
import { at } from "../../lib/shared/at.ts";
import { PLATFORM_DETAILS, PLATFORMS } from "../../lib/shared/platforms.ts";

const TARGETS = ["production", "preview", "solo"] as const;
export type Target = (typeof TARGETS)[number];

type Vars = Record<string, string | undefined>;

export interface Finding {
  level: "missing" | "wrong" | "unknown" | "off" | "ok";
  text: string;
}

/** The purpose of each required variable, and the source of its value. */
const REQUIRED: Record<string, string> = {
  DATABASE_URL: "the connection string of the Neon database (Neon console, Connect)",
  UPSTASH_REDIS_REST_URL: "the REST URL of the Upstash Redis (Upstash console, REST API)",
  UPSTASH_REDIS_REST_TOKEN: "the REST token of the same Redis",
  S3_ENDPOINT: "the S3 API of R2: https://<account id>.r2.cloudflarestorage.com",
  S3_ACCESS_KEY_ID: "an R2 API token with read and write on both buckets",
  S3_SECRET_ACCESS_KEY: "the secret of the same token",
  CDN_URL: "the public base URL of the files bucket (R2, custom domain)",
  TOKEN_KEY: "32 random bytes: openssl rand -base64 32. Keep it: without it no connected account can publish",
};

/** The dashboard, functions/workspace, needs these beside them. Previews and single endpoints have no dashboard. */
const DASHBOARD: Record<string, string> = {
  SESSION_SECRET: "at least 32 characters, which sign the cookies of the dashboard: openssl rand -base64 32",
  MAIL_API_KEY: "an API key of the mail service that sends sign-in codes (Resend, or MAIL_API_URL for another)",
  MAIL_FROM: "the sender of these mails, such as Partner API <hello@example.com>",
};

/** Variables that switch a part of the service on, and what is missing without them. */
const OPTIONAL: { part: string; names: string[]; without: string }[] = [
  {
    part: "hosted accounts",
    names: ["HOSTED_FLEET_URL", "HOSTED_FLEET_SECRET"],
    without: "posts of hosted accounts fail",
  },
  {
    part: "generated texts",
    names: ["MODEL_URL", "MODEL_NAME"],
    without: "generating returns 503 unless Workers AI is bound",
  },
  { part: "captions", names: ["SPEECH_URL"], without: "captions return 503 unless Workers AI is bound" },
  {
    part: "viral library",
    names: ["EMBEDDINGS_URL"],
    without: "searching by q returns 503 unless Workers AI is bound",
  },
  {
    part: "LinkedIn pages",
    names: ["LINKEDIN_PAGES_CLIENT_ID", "LINKEDIN_PAGES_CLIENT_SECRET"],
    without: "pages need an app with the Community Management API alone",
  },
];

/** Every setting without which a production deployment does not start. */
export function listRequiredNames(): string[] {
  return [...Object.keys({ ...REQUIRED, ...DASHBOARD }), "PUBLIC_URL"];
}

export function diagnose(vars: Vars, target: Target): Finding[] {
  const missing = Object.entries({ ...REQUIRED, ...(target === "production" ? DASHBOARD : {}) })
    .filter(([name]) => !vars[name])
    .map(([name, what]): Finding => ({ level: "missing", text: `${name}: ${what}.` }));
  if (!vars.PUBLIC_URL) {
    missing.push({
      level: "missing",
      text: "PUBLIC_URL: the base URL of this Worker, such as https://api.example.com.",
    });
  }
  const wrong = findWrong(vars, target);
  const named = new Set(wrong.map(({ text }) => at(text.split(":"), 0)));
  return [...missing, ...wrong, ...findOff(vars, named)];
}

/** Names in a file of settings that no part of the service reads. */
export function findUnknown(vars: Vars): Finding[] {
  const networks = PLATFORMS.flatMap((platform) => NETWORK_SETTINGS.map((name) => `${platform.toUpperCase()}_${name}`));
  const known = new Set<string>([...SETTING_NAMES, ...networks, ...LINKEDIN_PAGES_SETTINGS]);
  return Object.keys(vars)
    .filter((name) => !known.has(name))
    .map((name) => ({
      level: "unknown",
      text: `${name}: no setting has this name. Check its spelling, or remove it.`,
    }));
}

/** Lists values that the Worker itself would reject. */
function findWrong(vars: Vars, target: Target): Finding[] {
  const filler = Object.fromEntries([...Object.keys(REQUIRED), "PUBLIC_URL"].map((name) => [name, fill(name)]));
  const set = Object.fromEntries(Object.entries(vars).filter(([, value]) => value));
  try {
    readEnv({ ...filler, ...set, ENVIRONMENT: target === "preview" ? "preview" : "production" });
    return [];
  } catch (error) {
    const text = (error as Error).message.replace(/^The service is not configured: /, "");
    return text.split("; ").map((problem) => ({ level: "wrong", text: `${problem}.` }));
  }
}

/** A valid value, so that only what is set is judged. */
function fill(name: string): string {
  if (name === "TOKEN_KEY") return `${"A".repeat(43)}=`;
  return /URL|ENDPOINT/.test(name) ? "https://example.com" : "x";
}

/** `named` lists the settings whose problem is reported already. */
function findOff(vars: Vars, named: Set<string>): Finding[] {
  const parts = OPTIONAL.flatMap(({ part, names, without }): Finding[] => {
    const absent = names.filter((name) => !vars[name]);
    if (absent.length === 0) return [{ level: "ok", text: `${part}: on.` }];
    if (absent.length === names.length) {
      return [{ level: "off", text: `${part}: off, ${without}. Set ${names.join(" and ")}.` }];
    }
    if (absent.every((name) => named.has(name))) return [];
    return [{ level: "wrong", text: `${part}: ${absent.join(", ")} is missing.` }];
  });
  const networks = PLATFORMS.map((platform): Finding => {
    const [id, secret] = ["CLIENT_ID", "CLIENT_SECRET"].map((name) => `${platform.toUpperCase()}_${name}`) as [
      string,
      string,
    ];
    const { name } = PLATFORM_DETAILS[platform];
    if (platform === "bluesky") return diagnoseClientKey(vars[secret]);
    if (vars[id] && vars[secret]) return { level: "ok", text: `${name}: on.` };
    if (vars[id] || vars[secret]) return { level: "wrong", text: `${name}: ${vars[id] ? secret : id} is missing.` };
    return {
      level: "off",
      text: `${name}: off, no account can be connected and no token renewed. Set ${id} and ${secret}.`,
    };
  });
  return [...parts, ...networks];
}

export function countSettings(count: number): string {
  return `${count} setting${count === 1 ? "" : "s"}`;
}

/** At Bluesky this service has a key in place of credentials, and may do without. */
function diagnoseClientKey(key: string | undefined): Finding {
  if (!key) {
    return { level: "ok", text: "Bluesky: on; sessions by OAuth end after two weeks without BLUESKY_CLIENT_SECRET." };
  }
  return isClientKey(key)
    ? { level: "ok", text: "Bluesky: on." }
    : { level: "wrong", text: "BLUESKY_CLIENT_SECRET: must be a private JWK (EC, P-256) with a kid." };
}

function isClientKey(key: string): boolean {
  try {
    const jwk = JSON.parse(key) as JsonWebKey & { kid?: string };
    return typeof jwk.kid === "string" && createPrivateKey({ key: jwk, format: "jwk" }).asymmetricKeyType === "ec";
  } catch {
    return false;
  }
}

function main(): void {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ options: { for: { ...text, default: "production" }, file: text } });
  const target = TARGETS.find((candidate) => candidate === values.for);
  if (!target) throw new Error(`--for must be one of ${TARGETS.join(", ")}.`);
  const vars: Vars = values.file ? parseEnv(readFileSync(values.file, "utf8")) : process.env;
  const findings = [...diagnose(vars, target), ...(values.file ? findUnknown(vars) : [])];
  for (const { level, text: line } of findings) console.log(`${level.padEnd(8)} ${line}`);
  const blocking = findings.filter(({ level }) => level === "missing" || level === "wrong").length;
  console.log(
    blocking === 0
      ? `\nA ${target} deployment can start.`
      : `\n${countSettings(blocking)} to repair before a ${target} deployment can start.`,
  );
  process.exitCode = blocking === 0 ? 0 : 1;
}

if (import.meta.main) {
  try {
    main();
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 2;
  }
}
