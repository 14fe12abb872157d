// `npm run setup -- [--file secrets.env] [--dry-run]`: creates what a deployment needs on the platform and is not there yet.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

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

/** Idempotent: a second run finds everything and changes nothing but the rules and secrets, which it sets again. */
export function listSteps(files: { cors: string; secrets: string | null }): Step[] {
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
      create: ["r2", "bucket", "cors", "set", "uploads", "--file", files.cors, "--force"],
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
    ...["deliveries", "uploads", "confirmations", "refreshes", "dead-letters"].map((name) => ({
      what: `queue ${name}`,
      list: queues,
      name,
      create: ["queues", "create", name],
    })),
    ...(files.secrets ? [{ what: "secrets", create: ["secret", "bulk", files.secrets] }] : []),
  ];
}

function runWrangler(args: string[]): string {
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1" };
  return execFileSync(process.execPath, [WRANGLER, ...args], { cwd: ROOT, env, encoding: "utf8" });
}

/** Whether a listing has the name as a word of its own: `files` is not `files-old`. */
function isListed(listing: string, name: string): boolean {
  return listing.split(/[\s│|"',]+/).includes(name);
}

function main(): void {
  const { values } = parseArgs({
    options: { file: { type: "string" }, "dry-run": { type: "boolean", default: false } },
  });
  const folder = mkdtempSync(join(tmpdir(), "setup-"));
  try {
    const cors = join(folder, "cors.json");
    writeFileSync(cors, JSON.stringify(UPLOADS_CORS));
    for (const { what, list, name, create } of listSteps({ cors, secrets: values.file ?? null })) {
      if (values["dry-run"]) {
        console.log(`would make  ${what}\n            wrangler ${create.join(" ")}`);
      } else if (list && name && isListed(runWrangler(list), name)) {
        console.log(`is there    ${what}`);
      } else {
        runWrangler(create);
        console.log(`made        ${what}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  console.log(
    `\nBy hand: a custom domain of the bucket files (its URL is CDN_URL)${values.file ? "" : ", and the secrets: --file secrets.env"}.`,
  );
  console.log("Then: npm run doctor -- --file secrets.env, and npm run deploy.");
}

if (import.meta.main) {
  try {
    main();
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    console.error(`${stderr || message}\nNothing after this step was done. Repair it and run the command again.`);
    process.exitCode = 1;
  }
}
