// Extreme inputs are rejected with the field's path, never a 500; and equal payloads of external_id.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { formatError } from "../../lib/shared/format-error.ts";
import { uploadDemoVideo } from "../files/upload-file.ts";
import {
  createTestAccount,
  createTestTenant,
  queryRows,
  type Tenant,
  type TestAccount,
  type TestResponse,
} from "../support/harness.ts";

let tenant: Tenant;
let account: TestAccount;
let url: string;

beforeAll(async () => {
  tenant = await createTestTenant();
  account = await createTestAccount(tenant, "instagram");
  url = await uploadDemoVideo(tenant.api);
});

const body = (more: object) => ({
  caption: "hello",
  accounts: [{ id: account.id }],
  media: { type: "video", url },
  ...more,
});
const create = (more: object) => tenant.api.post("/posts", body(more));
const getErrorPaths = ({ status, body }: TestResponse) => [
  status,
  ...(body.fields ?? []).map(({ path }: { path: string }) => path),
];

test.each([
  ["music_url", "notaurl"],
  ["music_url", ""],
  ["music_url", "https://"],
  ["music_url", "https://tiktok.com.example.com/music/1"],
  ["scheduled_at", "9999-12-31T23:59:59Z"],
  ["scheduled_at", "0000-01-01T00:00:00Z"],
  ["scheduled_at", "+275760-09-13T00:00:00Z"],
  ["scheduled_at", null],
  ["tiktok", null],
  ["pinterest", null],
])("422 reports %s for %j", async (field, value) => {
  expect(getErrorPaths(await create({ [field]: value }))).toEqual([422, field]);
});

test.each(["since", "until"])("200 for any valid instant as %s, 400 for an invalid one", async (name) => {
  for (const instant of ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1969-12-31T23:59:59Z"]) {
    expect((await tenant.api.get(`/posts?${name}=${instant}`)).status).toBe(200);
  }
  for (const instant of ["%2B275760-09-13T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-20T18:00:00+2:00"]) {
    const response = await tenant.api.get(`/posts?${name}=${instant}`);
    expect([response.status, response.body.error_code]).toEqual([400, `invalid_${name}`]);
  }
});

const nestArrays = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const nestObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

test.each([
  ["20,000 arrays", nestArrays(20_000)],
  ["500,000 arrays", nestArrays(500_000)],
  ["20,000 arrays in a field", `{"caption": ${nestArrays(20_000)}}`],
  ["100,000 objects", nestObjects(100_000)],
])("422 for deeply nested %s, with or without an Idempotency-Key, for posts and files", async (_what, raw) => {
  for (const path of ["/posts", "/files"]) {
    for (const keyed of [false, true]) {
      const headers: Record<string, string> = keyed ? { "Idempotency-Key": newId() } : {};
      const response = await tenant.api.call("POST", path, { raw, headers });
      expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
      expect(response.body.message).toMatch(/nested at most 32 levels deep/i);
    }
  }
});

test("400 invalid_query_parameter for an unknown query key of files", async () => {
  const upload = await tenant.api.post("/files?colour=red", { contentType: "video/mp4" });
  expect([upload.status, upload.body.error_code]).toEqual([400, "invalid_query_parameter"]);
  const finalize = await tenant.api.post(`/files/${newId()}/finalize?colour=red`, {}, { "Idempotency-Key": newId() });
  expect([finalize.status, finalize.body.error_code]).toEqual([400, "invalid_query_parameter"]);
});

test("422 for a filename that is a path or only dots; 201 for dots within a name", async () => {
  for (const filename of ["..", ".", "...", "a/b.mp4", "a\\b.mp4", ""]) {
    const response = await tenant.api.post("/files", { contentType: "video/mp4", filename });
    expect([filename, response.status, Object.keys(response.body.issues?.fieldErrors ?? {})]).toEqual([
      filename,
      422,
      ["filename"],
    ]);
  }
  for (const filename of ["..a.mp4", "a..mp4", "a."]) {
    expect((await tenant.api.post("/files", { contentType: "video/mp4", filename })).status).toBe(201);
  }
});

test("200 for a retry of external_id with an equivalent payload", async () => {
  const bare = { accounts: [{ id: account.id }], media: { type: "video", url } };
  const words: [object, object][] = [
    [bare, { ...bare, settings: {} }],
    [{ ...bare, settings: {} }, bare],
    [bare, { ...bare, music_url: null }],
    [bare, { ...bare, accounts: [{ id: account.id.toUpperCase() }] }],
    [bare, { ...bare, accounts: [{ id: account.id }, { id: account.id.toUpperCase() }] }],
    [
      { ...bare, scheduled_at: "2030-01-01T00:00:00Z" },
      { ...bare, scheduled_at: "2030-01-01T02:00+02:00" },
    ],
    [
      { ...bare, media: { type: "video", url, duration_seconds: 6 } },
      { ...bare, media: { type: "video", url, metadata: { duration: 6 } } },
    ],
  ];
  for (const [first, second] of words) {
    const named = { caption: "same", external_id: newId() };
    const one = await tenant.api.post("/posts", { ...named, ...first });
    const two = await tenant.api.post("/posts", { ...named, ...second });
    expect([one.status, two.status, two.body.data?.id]).toEqual([201, 200, one.body.data.id]);
  }
});

test("200 for a retry of external_id with media null instead of absent", async () => {
  const text = await createTestAccount(tenant, "bluesky");
  const bare = { caption: "words only", accounts: [{ id: text.id }] };
  for (const [first, second] of [
    [bare, { ...bare, media: null }],
    [{ ...bare, media: null }, bare],
  ]) {
    const external_id = newId();
    const one = await tenant.api.post("/posts", { ...first, external_id });
    const two = await tenant.api.post("/posts", { ...second, external_id });
    expect([one.status, two.status, two.body.data?.id]).toEqual([201, 200, one.body.data.id]);
  }
});

test("409 for a retry of external_id with another payload", async () => {
  const named = { external_id: newId() };
  expect((await create(named)).status).toBe(201);
  const other = await createTestAccount(tenant, "instagram");
  for (const more of [
    { accounts: [{ id: other.id }] },
    { settings: { instagram: { post_type: "story" } } },
    { scheduled_at: "2030-01-01T00:00:00Z" },
    { media: { type: "video", url, duration_seconds: 6 } },
  ]) {
    const response = await create({ ...named, ...more });
    expect([response.status, response.body.error_code]).toEqual([409, "external_id_conflict"]);
  }
});

test("logs a failed statement with its text and stack, without its values", async () => {
  const secrets = ["my private caption", "token-4711", "https://media.example.com/private.mp4"];
  const failures = [
    sql`select ${secrets[0]}::text, ${secrets[1]}::text, ${secrets[2]}::int`,
    sql`select * from nowhere where caption = ${secrets[0]} and token = ${secrets[1]}`,
    sql`insert into posts (id, caption) values (${secrets[1]}, ${secrets[0]})`,
    sql`select * from jsonb_to_recordset(${JSON.stringify([{ at: secrets[1] }])}::jsonb) as d(at timestamptz)`,
    sql`select ${`{${secrets[1]}}`}::uuid[]`,
  ];
  for (const statement of failures) {
    const error: unknown = await queryRows(statement).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    for (const seen of [error, new Error("the outer one", { cause: error })]) {
      const line = formatError(seen);
      for (const secret of secrets) expect(line).not.toContain(secret);
      expect(line).toMatch(/a statement failed: (select|insert)/);
      expect(line).toMatch(/caused by NeonDbError: (relation "nowhere"|invalid input syntax for type)/);
      expect(line).toMatch(/\n\s+at /);
    }
  }
});
