// The verification of the guide "Events and webhooks", as it stands there, in each language that is installed. The bodies are
// signed by the package `standardwebhooks`, which judges each case, too.
import { execFileSync, spawnSync } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, expect, test } from "vitest";
import { readGuides } from "../../functions/build/documentation.ts";

const ROOT = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "verification-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const guide = (await readGuides()).find(({ id }) => id === "events-and-webhooks")?.text ?? "";
const [, section = ""] = guide.split("## Verify the signature");

/** The only block of the section in a language. */
function readCode(language: string): string {
  const blocks = [...section.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))];
  const [[, code = ""] = [], ...others] = blocks;
  if (code === "" || others.length > 0) throw new Error(`The guide has ${blocks.length} blocks in ${language}.`);
  return code;
}

interface Case {
  name: string;
  secret: string;
  headers: Record<string, string>;
  body: string;
}

const newSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString("base64")}`;
const [secret, previous] = [newSecret(), newSecret(64)];
const id = "01a22228-ccfa-7000-8000-0009aa59bac5";
const body = JSON.stringify({ id, type: "post.published", data: { object: { caption: 'Tee & Brötchen 🍵 "\\n"\n' } } });
const now = Date.now();

function sign(by: readonly string[], seconds = 0): Record<string, string> {
  const at = new Date(now + seconds * 1000);
  const signatures = by.map((key) => new Webhook(key).sign(id, at, body)).join(" ");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": signatures,
  };
}

const signed = sign([secret]);
const signature = signed["webhook-signature"] ?? "";

const GENUINE: Case[] = [
  { name: "a signed body", secret, headers: signed, body },
  { name: "four minutes old", secret, headers: sign([secret], -240), body },
  { name: "four minutes ahead", secret, headers: sign([secret], 240), body },
  { name: "two signatures, the new secret", secret, headers: sign([secret, previous]), body },
  { name: "two signatures, the previous secret", secret: previous, headers: sign([secret, previous]), body },
  {
    name: "a signature of another version before",
    secret,
    headers: { ...signed, "webhook-signature": `v1a,AAAA ${signature}` },
    body,
  },
];

const withHeader = (name: string, value: string): Case["headers"] => ({ ...signed, [`webhook-${name}`]: value });

const FORGED: Case[] = [
  { name: "a changed body", secret, headers: signed, body: body.replace("published", "failed") },
  { name: "a body with a space more", secret, headers: signed, body: `${body} ` },
  { name: "a body with a line break more", secret, headers: signed, body: `${body}\n` },
  { name: "no body", secret, headers: signed, body: "" },
  { name: "six minutes old", secret, headers: sign([secret], -360), body },
  { name: "six minutes ahead", secret, headers: sign([secret], 360), body },
  { name: "another time", secret, headers: withHeader("timestamp", String(Math.floor(now / 1000) + 1)), body },
  { name: "another id", secret, headers: withHeader("id", id.replace("5", "6")), body },
  { name: "another secret", secret: newSecret(), headers: signed, body },
  { name: "the previous secret after its end", secret: previous, headers: signed, body },
  { name: "no headers", secret, headers: {}, body },
  { name: "an empty signature", secret, headers: withHeader("signature", ""), body },
  { name: "a version alone", secret, headers: withHeader("signature", "v1,"), body },
  {
    name: "the signature of another version",
    secret,
    headers: withHeader("signature", signature.replace("v1", "v2")),
    body,
  },
  { name: "a signature with more behind it", secret, headers: withHeader("signature", `${signature}A`), body },
  { name: "a signature cut short", secret, headers: withHeader("signature", signature.slice(0, -1)), body },
  { name: "a pattern as signature", secret, headers: withHeader("signature", "v1,* *"), body },
  { name: "a time that is no number", secret, headers: withHeader("timestamp", "now"), body },
  {
    name: "a time that is code of a shell",
    secret,
    headers: withHeader("timestamp", `a[$(touch ${folder}/run)]`),
    body,
  },
  {
    name: "a time that is no number, signed",
    secret,
    headers: { ...withHeader("timestamp", "NaN"), "webhook-signature": signText("NaN") },
    body,
  },
];

/** Signed without a check of the time. */
function signText(timestamp: string): string {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

const CASES = [...GENUINE, ...FORGED];
const casesFile = join(folder, "cases.json");
writeFileSync(casesFile, JSON.stringify(CASES));

function run(command: string, args: string[], cwd = folder, env: Record<string, string> = {}): string {
  return execFileSync(command, args, { cwd, env: { ...process.env, ...env }, encoding: "utf8" });
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const isInstalled = (command: string, argument: string) => spawnSync(command, [argument]).status === 0;

/** One boolean per case. */
function expectVerdicts(accepted: boolean[]): void {
  expect(accepted).toHaveLength(CASES.length);
  const named = CASES.filter((_, place) => accepted[place]).map(({ name }) => name);
  expect(named).toEqual(GENUINE.map(({ name }) => name));
}

test("the package standardwebhooks accepts what is genuine and rejects what is forged", () => {
  expectVerdicts(
    CASES.map((one) => {
      try {
        new Webhook(one.secret).verify(one.body, one.headers);
        return true;
      } catch {
        return false;
      }
    }),
  );
});

test("TypeScript of the guide verifies, and compiles strictly", () => {
  write("verify.ts", readCode("ts"));
  const program = write(
    "program.ts",
    `import { readFileSync } from "node:fs";
import { verifyWebhook } from "./verify.ts";
const cases = JSON.parse(readFileSync("cases.json", "utf8"));
const accepted = cases.map(({ secret, headers, body }: { secret: string; headers: Record<string, string>; body: string }) => {
  try {
    return JSON.stringify(verifyWebhook(secret, new Headers(headers), body)) === body;
  } catch {
    return false;
  }
});
console.log(JSON.stringify(accepted));
`,
  );
  write("package.json", '{"type": "module"}');
  expectVerdicts(JSON.parse(run(process.execPath, [program])));
  const options = "--strict --noUncheckedIndexedAccess --noEmit --module nodenext --target es2024 --lib es2024,dom";
  const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
  run(process.execPath, [join(ROOT, "node_modules/.bin/tsc"), ...options.split(" "), ...types, "verify.ts"]);
});

test("Python of the guide verifies", (context) => {
  context.skip(!isInstalled("python3", "--version"), "python3 is not installed");
  write("verify.py", readCode("py"));
  const program = `import json
from verify import verify_webhook
def accepts(one):
    try:
        body = one["body"].encode()
        return verify_webhook(one["secret"], one["headers"], body) == json.loads(body)
    except ValueError:
        return False
print(json.dumps([accepts(one) for one in json.load(open("cases.json", encoding="utf-8"))]))
`;
  expectVerdicts(JSON.parse(run("python3", [write("program.py", program)])));
});

test("PHP of the guide verifies", (context) => {
  context.skip(!isInstalled("php", "--version"), "php is not installed");
  write("verify.php", readCode("php"));
  const program = `<?php
require 'verify.php';
error_reporting(E_ALL);
set_error_handler(fn ($level, $message) => throw new ErrorException($message));
$accepted = [];
foreach (json_decode(file_get_contents('cases.json'), true) as $one) {
    $server = [];
    foreach ($one['headers'] as $name => $value) {
        $server['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
    }
    try {
        $event = verify_webhook($one['secret'], $server, $one['body']);
        $accepted[] = $event === json_decode($one['body'], true);
    } catch (RuntimeException $error) {
        $accepted[] = false;
    }
}
echo json_encode($accepted);
`;
  expectVerdicts(JSON.parse(run("php", [write("program.php", program)])));
});

test("Go of the guide verifies", (context) => {
  context.skip(!isInstalled("go", "version"), "go is not installed");
  mkdirSync(join(folder, "go/webhooks"), { recursive: true });
  write("go/go.mod", "module receiver\n\ngo 1.19\n");
  write("go/webhooks/verify.go", readCode("go"));
  const program = `package main

import (
	"encoding/json"
	"net/http"
	"os"

	"receiver/webhooks"
)

func main() {
	text, err := os.ReadFile("../cases.json")
	if err != nil {
		panic(err)
	}
	var cases []struct {
		Secret  string
		Headers map[string]string
		Body    string
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		panic(err)
	}
	accepted := []bool{}
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers {
			header.Set(name, value)
		}
		accepted = append(accepted, webhooks.Verify(one.Secret, header, []byte(one.Body)) == nil)
	}
	json.NewEncoder(os.Stdout).Encode(accepted)
}
`;
  write("go/main.go", program);
  const cwd = join(folder, "go");
  const env = { GOFLAGS: "-mod=mod", GOPROXY: "off", GOTOOLCHAIN: "local" };
  expect(run("gofmt", ["-l", "."], cwd)).toBe("");
  expectVerdicts(JSON.parse(run("go", ["run", "."], cwd, env)));
}, 240_000);

test.for(["sh", "bash"])("the shell of the guide verifies: %s", (shell, context) => {
  const tools = "command -v openssl && command -v base64 && command -v od";
  context.skip(spawnSync(shell, ["-c", tools]).status !== 0, `${shell} or its tools are not installed`);
  const program = write("verify.sh", `${readCode("sh")}\nverify_webhook "$1"\n`);
  const accepted = CASES.map((one, place) => {
    const headers = Object.entries(one.headers).map(([name, value]) => [
      name.toUpperCase().replaceAll("-", "_"),
      value,
    ]);
    const env = { PATH: process.env.PATH, WEBHOOK_SECRET: one.secret, ...Object.fromEntries(headers) };
    return spawnSync(shell, [program, write(`body-${place}`, one.body)], { env, cwd: folder }).status === 0;
  });
  expectVerdicts(accepted);
  // The time of a header is never evaluated.
  expect(spawnSync("ls", [join(folder, "run")]).status).not.toBe(0);
});
