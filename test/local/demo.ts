// `npm run demo`: a video travels from this disk to TikTok and Instagram, once now and once scheduled.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

interface Ready {
  baseUrl: string;
  keys: { workspace: string };
  accounts: { id: string; platform: string; type: string; status: string; username: string; key: string }[];
}
interface State {
  account_id: string;
  status: string;
  published_url: string | null;
  error_message: string | null;
}
interface Post {
  id: string;
  status: string;
  accounts: { states: State[] };
}

const GIVE_UP_AFTER_MS = 120_000;
// Up to 30 s ahead counts as now.
const SCHEDULED_AHEAD_MS = 35_000;
const root = join(import.meta.dirname, "../..");

const ready: Ready = JSON.parse(
  await readFile(join(root, ".local/ready.json"), "utf8").catch(() =>
    fail("The service is not running: start it with npm start."),
  ),
);
const accounts = ready.accounts.filter(
  ({ key, type, status, platform }) =>
    key === "workspace" && type === "byo" && status === "active" && ["tiktok", "instagram"].includes(platform),
);

async function api<Data>(method: string, path: string, body?: unknown): Promise<Data> {
  const answer = await fetch(`${ready.baseUrl}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${ready.keys.workspace}`,
      "Content-Type": "application/json",
      ...(method === "POST" ? { "Idempotency-Key": crypto.randomUUID() } : {}),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const envelope = (await answer.json()) as { ok: boolean; message: string; data: Data };
  if (!envelope.ok) fail(`${method} ${path} answered ${answer.status}: ${envelope.message}`);
  return envelope.data;
}

const bytes = await readFile(join(import.meta.dirname, "demo.mp4"));
console.log(`uploading  demo.mp4, ${(bytes.length / 1024).toFixed(0)} KiB`);
const upload = await api<{ id: string; uploadUrl: string; headers: Record<string, string> }>("POST", "/files", {
  contentType: "video/mp4",
  filename: "demo.mp4",
  size: bytes.length,
});
const put = await fetch(upload.uploadUrl, { method: "PUT", headers: upload.headers, body: bytes });
if (!put.ok) fail(`The bucket answered ${put.status}: ${await put.text()}`);
const { file, attestation } = await api<{
  file: { url: string };
  attestation: { width: number; height: number; durationMs: number };
}>("POST", `/files/${upload.id}/finalize`, {});
console.log(`verified   ${attestation.width}x${attestation.height}, ${attestation.durationMs / 1000} s -> ${file.url}`);

const post = (caption: string, scheduledAt?: Date) =>
  api<Post>("POST", "/posts", {
    caption,
    accounts: accounts.map(({ id }) => ({ id })),
    media: { type: "video", url: file.url },
    ...(scheduledAt ? { scheduled_at: scheduledAt.toISOString() } : {}),
  });
const later = new Date(Date.now() + SCHEDULED_AHEAD_MS);
const posts = [await post("Posted at once by the demo"), await post("Scheduled by the demo", later)];
console.log(`posted     now, and for ${later.toISOString()}\n`);

const TERMINAL = new Set(["posted", "partial", "failed", "deleted", "void"]);
const started = Date.now();
let seen: Post[] = posts;
let shown = "";
while (Date.now() - started < GIVE_UP_AFTER_MS) {
  seen = await Promise.all(posts.map(({ id }) => api<Post>("GET", `/posts/${id}`)));
  const states = seen.flatMap((one) => one.accounts.states);
  const done = states.filter(({ status }) => TERMINAL.has(status)).length;
  const bar = "#".repeat(done * 5).padEnd(states.length * 5, ".");
  progress(`[${bar}] ${done}/${states.length} deliveries`, `${((Date.now() - started) / 1000).toFixed(0)} s`);
  if (seen.every(({ status, accounts: { states } }) => TERMINAL.has(status) && states.every(named))) break;
  await sleep(500);
}
console.log("\n");
console.table(
  seen.flatMap((one, at) =>
    one.accounts.states.map((state) => ({
      post: at === 0 ? "now" : "scheduled",
      account: nameOf(state.account_id),
      status: state.status,
      url: state.published_url ?? state.error_message ?? "",
    })),
  ),
);
process.exit(seen.every(({ status }) => status === "posted") ? 0 : 1);

/** One line that is written over; where nobody watches, a new line for each change. */
function progress(line: string, time: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r${line}, ${time} `);
  else if (line !== shown) console.log(`${line}, ${time}`);
  shown = line;
}

function named({ status, published_url }: State): boolean {
  return status !== "posted" || published_url !== null;
}

function nameOf(id: string): string {
  const account = accounts.find((candidate) => candidate.id === id);
  return account ? `${account.platform} ${account.username}` : id;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
