// `npm run setup -- [--file secrets.env] [--zone-id ID] [--dry-run]`: creates what a deployment needs on the platform and is not
// there yet.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, parseEnv } from "node:util";
import { countSettings, diagnose, findUnknown, listRequiredNames } from "./doctor.ts";

const ROOT = join(import.meta.dirname, "../..");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

interface Step {
  what: string;
  /** Lists what is there; the step is done when the output contains `name`. */
  list?: string[];
  name?: string;
  create: string[];
}

/** Browsers upload parts and read their ETag. */
const UPLOADS_CORS = {
  rules: [
    {
      allowed: { origins: ["*"], methods: ["PUT"], headers: ["content-type"] },
      exposeHeaders: ["ETag"],
      maxAgeSeconds: 3600,
    },
  ],
};

interface SetupOptions {
  /** A file with the CORS rules of the bucket uploads. */
  cors: string;
  /** A file with the settings. */
  secrets: string | null;
  domain?: { host: string; zoneId: string } | null;
}

/** Idempotent: a second run finds everything and changes nothing but the rules and secrets, which it sets again. */
export function listSteps({ cors, secrets, domain = null }: SetupOptions): Step[] {
  const buckets = ["r2", "bucket", "list"];
  const queues = ["queues", "list"];
  return [
    ...["uploads", "files"].map((name) => ({
      what: `bucket ${name}`,
      list: buckets,
      name,
      create: ["r2", "bucket", "create", name],
    })),
    {
      what: "CORS of the bucket uploads",
      create: ["r2", "bucket", "cors", "set", "uploads", "--file", cors, "--force"],
    },
    {
      what: "parts of abandoned uploads are deleted after two days",
      list: ["r2", "bucket", "lifecycle", "list", "uploads"],
      name: "abandoned-parts",
      create: [
        "r2",
        "bucket",
        "lifecycle",
        "add",
        "uploads",
        "abandoned-parts",
        "--abort-multipart-days",
        "2",
        "--force",
      ],
    },
    ...["deliveries", "uploads", "confirmations", "refreshes", "webhooks", "dead-letters"].map((name) => ({
      what: `queue ${name}`,
      list: queues,
      name,
      create: ["queues", "create", name],
    })),
    ...listDomainSteps(domain),
    ...listSecretSteps(secrets),
  ];
}

/** The public host of the bucket files, which the CLI adds to a zone of the same account. */
function listDomainSteps(domain: SetupOptions["domain"]): Step[] {
  if (!domain) return [];
  const add = [
    "r2",
    "bucket",
    "domain",
    "add",
    "files",
    "--domain",
    domain.host,
    "--zone-id",
    domain.zoneId,
    "--force",
  ];
  const list = ["r2", "bucket", "domain", "list", "files"];
  return [{ what: `domain ${domain.host} of the bucket files`, list, name: domain.host, create: add }];
}

/** The other Workers with settings read those of the API. */
function listSecretSteps(secrets: string | null): Step[] {
  if (!secrets) return [];
  const create = ["secret", "bulk", secrets];
  return [
    { what: "secrets of the API", create },
    { what: "secrets of the dashboard", create: [...create, "-c", "functions/workspace/wrangler.toml"] },
    { what: "secrets of the tools for agents", create: [...create, "-c", "functions/mcp/wrangler.toml"] },
    { what: "secrets of the simulator", create: [...create, "-c", "functions/simulator/wrangler.toml"] },
  ];
}

function runWrangler(args: string[]): string {
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1" };
  return execFileSync(process.execPath, [WRANGLER, ...args], { cwd: ROOT, env, encoding: "utf8" });
}

/** True when a listing has the name as a word of its own: `files` is not `files-old`. */
function isListed(listing: string, name: string): boolean {
  return listing.split(/[\s│|"',]+/).includes(name);
}

function main(): void {
  const { values } = parseArgs({
    options: {
      file: { type: "string" },
      "zone-id": { type: "string" },
      "dry-run": { type: "boolean", default: false },
    },
  });
  const vars = values.file ? parseEnv(readFileSync(values.file, "utf8")) : {};
  const blocking = values.file ? printBlocking(vars) : 0;
  const toRepair = `${values.file} has ${countSettings(blocking)} to repair, as listed above.`;
  if (blocking > 0 && !values["dry-run"]) {
    console.error(`${toRepair} Nothing was created.`);
    process.exitCode = 1;
    return;
  }
  const zoneId = values["zone-id"];
  const domain = zoneId && URL.canParse(vars.CDN_URL ?? "") ? { host: new URL(vars.CDN_URL ?? "").host, zoneId } : null;
  if (values["dry-run"]) {
    for (const step of listSteps({ cors: "cors.json", secrets: values.file ?? null, domain })) printStep(step);
    console.log(`\ncors.json: ${JSON.stringify(UPLOADS_CORS)}`);
    printByHand(values.file, domain !== null);
    if (blocking > 0) console.log(`\n${toRepair} Until then, setup creates nothing.`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "setup-"));
  try {
    const cors = join(folder, "cors.json");
    writeFileSync(cors, JSON.stringify(UPLOADS_CORS));
    const steps = listSteps({ cors, secrets: values.file ?? null, domain });
    for (const step of steps) runStep(step);
  } finally {
    rmSync(folder, { recursive: true });
  }
  printByHand(values.file, domain !== null);
}

function printByHand(file: string | undefined, hasDomain: boolean): void {
  const byHand = [
    ...(hasDomain
      ? []
      : ["add a custom domain to the bucket files, whose URL is CDN_URL (--zone-id ID with --file does it)"]),
    ...(file ? [] : [`set the secrets (--file secrets.env does it): ${listRequiredNames().join(", ")}`]),
  ];
  if (byHand.length > 0) console.log(`\nBy hand: ${byHand.join("; ")}.`);
  console.log(`\nThen: npm run doctor -- --file ${file ?? "secrets.env"}, and npm run deploy.`);
}

/** Lists settings that would stop a deployment; they are better repaired before anything is created. */
function printBlocking(vars: Record<string, string | undefined>): number {
  const blocking = diagnose(vars, "production").filter(({ level }) => level === "missing" || level === "wrong");
  for (const { level, text } of [...blocking, ...findUnknown(vars)]) console.log(`${level.padEnd(11)} ${text}`);
  return blocking.length;
}

function printStep({ what, create }: Step): void {
  console.log(`would set   ${what}\n            wrangler ${create.join(" ")}`);
}

function runStep({ what, list, name, create }: Step): void {
  if (list && name && isListed(runWrangler(list), name)) {
    console.log(`is there    ${what}`);
  } else {
    runWrangler(create);
    console.log(`made        ${what}`);
  }
}

if (import.meta.main) {
  try {
    main();
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    console.error(`${stderr || message}\nNothing after this was done. Repair it and run the command again.`);
    process.exitCode = 1;
  }
}
