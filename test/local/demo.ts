// `npm run demo`: uploads a video and publishes it to TikTok and Instagram, immediately and on a schedule.
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
  next_attempt_at: string | null;
}
interface Post {
  id: string;
  status: string;
  accounts: { states: State[] };
}

const TIMEOUT_MS = 120_000;
const REMINDER_MS = 5_000;
// `scheduled_at` up to 30 s ahead counts as now.
const SCHEDULE_DELAY_MS = 35_000;
const root = join(import.meta.dirname, "../..");

const ready: Ready = JSON.parse(
  await readFile(join(root, ".local/ready.json"), "utf8").catch(() =>
    exitWithError("The service is not running: start it with npm start."),
  ),
);
const accounts = ready.accounts.filter(
  ({ key, type, status, platform }) =>
    key === "workspace" && type === "byo" && status === "active" && ["tiktok", "instagram"].includes(platform),
);

async function callApi<Data>(method: string, path: string, body?: unknown): Promise<Data> {
  const response = await fetch(`${ready.baseUrl}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${ready.keys.workspace}`,
      "Content-Type": "application/json",
      ...(method === "POST" ? { "Idempotency-Key": crypto.randomUUID() } : {}),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const envelope = (await response.json()) as { ok: boolean; message: string; data: Data };
  if (!envelope.ok) exitWithError(`${method} ${path} returned ${response.status}: ${envelope.message}`);
  return envelope.data;
}

const bytes = await readFile(join(import.meta.dirname, "demo.mp4"));
console.log(`uploading  demo.mp4, ${(bytes.length / 1024).toFixed(0)} KiB`);
const upload = await callApi<{ id: string; uploadUrl: string; headers: Record<string, string> }>("POST", "/files", {
  contentType: "video/mp4",
  filename: "demo.mp4",
  size: bytes.length,
});
const put = await fetch(upload.uploadUrl, { method: "PUT", headers: upload.headers, body: bytes });
if (!put.ok) exitWithError(`The storage returned ${put.status}: ${await put.text()}`);
const { file, attestation } = await callApi<{
  file: { url: string };
  attestation: { width: number; height: number; durationMs: number };
}>("POST", `/files/${upload.id}/finalize`, {});
console.log(`verified   ${attestation.width}x${attestation.height}, ${attestation.durationMs / 1000} s -> ${file.url}`);

const createPost = (caption: string, scheduledAt?: Date) =>
  callApi<Post>("POST", "/posts", {
    caption,
    accounts: accounts.map(({ id }) => ({ id })),
    media: { type: "video", url: file.url },
    ...(scheduledAt ? { scheduled_at: scheduledAt.toISOString() } : {}),
  });
const scheduledFor = new Date(Date.now() + SCHEDULE_DELAY_MS);
const posts = [
  await createPost("Posted immediately by the demo"),
  await createPost("Scheduled by the demo", scheduledFor),
];
console.log(`posted     now, and for ${scheduledFor.toISOString()}\n`);

const TERMINAL = new Set(["posted", "partial", "failed", "deleted", "void"]);
const started = Date.now();
let currentPosts: Post[] = posts;
let printed = { progress: "", at: 0 };
while (Date.now() - started < TIMEOUT_MS) {
  currentPosts = await Promise.all(posts.map(({ id }) => callApi<Post>("GET", `/posts/${id}`)));
  const states = currentPosts.flatMap((post) => post.accounts.states);
  const done = states.filter(({ status }) => TERMINAL.has(status)).length;
  const bar = "#".repeat(done * 5).padEnd(states.length * 5, ".");
  printProgress(`[${bar}] ${done}/${states.length} deliveries`, describeWait(states));
  if (currentPosts.every(({ status, accounts: { states } }) => TERMINAL.has(status) && states.every(hasPermalink)))
    break;
  await sleep(500);
}
console.log("\n");
console.table(
  currentPosts.flatMap((post, index) =>
    post.accounts.states.map((state) => ({
      post: index === 0 ? "now" : "scheduled",
      account: getAccountLabel(state.account_id),
      status: state.status,
      url: state.published_url ?? state.error_message ?? "",
    })),
  ),
);
process.exit(currentPosts.every(({ status }) => status === "posted") ? 0 : 1);

/** Overwrites one line on a terminal, otherwise prints a line for each change and every few seconds. */
function printProgress(progress: string, wait: string): void {
  const line = `${progress}, ${((Date.now() - started) / 1000).toFixed(0)} s${wait}`;
  if (process.stdout.isTTY) process.stdout.write(`\r${line.padEnd(process.stdout.columns)}`);
  else if (progress !== printed.progress || Date.now() - printed.at >= REMINDER_MS) {
    console.log(line);
    printed = { progress, at: Date.now() };
  }
}

/** What the deliveries that are not done wait for: their time, or the next look at what the network makes of the video. */
function describeWait(states: State[]): string {
  const waits = states.flatMap(({ account_id, status, next_attempt_at }) => {
    const seconds = Math.ceil((Date.parse(next_attempt_at ?? "") - Date.now()) / 1000);
    if (TERMINAL.has(status)) return [];
    if (!(seconds > 0)) return [`${getAccountLabel(account_id)} is being published`];
    return [`${getAccountLabel(account_id)} ${status === "scheduled" ? "is due" : "is checked again"} in ${seconds} s`];
  });
  return waits.length > 0 ? `; ${waits.join(", ")}` : "";
}

function hasPermalink({ status, published_url }: State): boolean {
  return status !== "posted" || published_url !== null;
}

function getAccountLabel(id: string): string {
  const account = accounts.find((candidate) => candidate.id === id);
  return account ? `${account.platform} ${account.username}` : id;
}

function exitWithError(message: string): never {
  console.error(message);
  process.exit(1);
}
