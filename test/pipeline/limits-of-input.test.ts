// The rims of what callers may send: refused with the field's name, never a 500; and what two equal requests share.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { describeError } from "../../lib/describe-error.ts";
import { uploadedVideo } from "../files/uploaded.ts";
import { type Answer, type MintedAccount, mintAccount, mintTenant, rows, type Tenant } from "../harness.ts";

let tenant: Tenant;
let account: MintedAccount;
let url: string;

beforeAll(async () => {
  tenant = await mintTenant();
  account = await mintAccount(tenant, "instagram");
  url = await uploadedVideo(tenant.api);
});

const body = (more: object) => ({
  caption: "hello",
  accounts: [{ id: account.id }],
  media: { type: "video", url },
  ...more,
});
const create = (more: object) => tenant.api.post("/posts", body(more));
const told = ({ status, body }: Answer) => [status, ...(body.fields ?? []).map(({ path }: { path: string }) => path)];

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
])("422 names %s for %j", async (field, value) => {
  expect(told(await create({ [field]: value }))).toEqual([422, field]);
});

test.each(["since", "until"])("200 for any instant of the calendar as %s, 400 for one that is none", async (name) => {
  for (const instant of ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1969-12-31T23:59:59Z"]) {
    expect((await tenant.api.get(`/posts?${name}=${instant}`)).status).toBe(200);
  }
  for (const instant of ["%2B275760-09-13T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-20T18:00:00+2:00"]) {
    const answer = await tenant.api.get(`/posts?${name}=${instant}`);
    expect([answer.status, answer.body.error_code]).toEqual([400, `invalid_${name}`]);
  }
});

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

test.each([
  ["20,000 arrays", nested(20_000)],
  ["500,000 arrays", nested(500_000)],
  ["20,000 arrays in a field", `{"caption": ${nested(20_000)}}`],
  ["100,000 objects", objects(100_000)],
])("422 for %s inside each other, with or without a key, by posts and files alike", async (_what, raw) => {
  for (const path of ["/posts", "/files"]) {
    for (const keyed of [false, true]) {
      const headers: Record<string, string> = keyed ? { "Idempotency-Key": newId() } : {};
      const answer = await tenant.api.call("POST", path, { raw, headers });
      expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_payload"]);
      expect(answer.body.message).toMatch(/nested deeper than 32 levels/i);
    }
  }
});

test("400 invalid_query_parameter for a query key that files do not know", async () => {
  const upload = await tenant.api.post("/files?colour=red", { contentType: "video/mp4" });
  expect([upload.status, upload.body.error_code]).toEqual([400, "invalid_query_parameter"]);
  const finalize = await tenant.api.post(`/files/${newId()}/finalize?colour=red`, {}, { "Idempotency-Key": newId() });
  expect([finalize.status, finalize.body.error_code]).toEqual([400, "invalid_query_parameter"]);
});

test("422 filename that is a path or only dots; 201 for dots within a name", async () => {
  for (const filename of ["..", ".", "...", "a/b.mp4", "a\\b.mp4", ""]) {
    const answer = await tenant.api.post("/files", { contentType: "video/mp4", filename });
    expect([filename, answer.status, Object.keys(answer.body.issues?.fieldErrors ?? {})]).toEqual([
      filename,
      422,
      ["filename"],
    ]);
  }
  for (const filename of ["..a.mp4", "a..mp4", "a."]) {
    expect((await tenant.api.post("/files", { contentType: "video/mp4", filename })).status).toBe(201);
  }
});

test("200 for a repeat of external_id that says the same in other words", async () => {
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

test("200 for a repeat of external_id whose media is null where it was absent", async () => {
  const text = await mintAccount(tenant, "bluesky");
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

test("409 for a repeat of external_id that says something else", async () => {
  const named = { external_id: newId() };
  expect((await create(named)).status).toBe(201);
  const other = await mintAccount(tenant, "instagram");
  for (const more of [
    { accounts: [{ id: other.id }] },
    { settings: { instagram: { post_type: "story" } } },
    { scheduled_at: "2030-01-01T00:00:00Z" },
    { media: { type: "video", url, duration_seconds: 6 } },
  ]) {
    const answer = await create({ ...named, ...more });
    expect([answer.status, answer.body.error_code]).toEqual([409, "external_id_conflict"]);
  }
});

test("a failed statement is logged with its text and place, without the values that it carried", async () => {
  const secrets = ["my private caption", "token-4711", "https://media.example.com/private.mp4"];
  const failures = [
    sql`select ${secrets[0]}::text, ${secrets[1]}::text, ${secrets[2]}::int`,
    sql`select * from nowhere where caption = ${secrets[0]} and token = ${secrets[1]}`,
    sql`insert into posts (id, caption) values (${secrets[1]}, ${secrets[0]})`,
    sql`select * from jsonb_to_recordset(${JSON.stringify([{ at: secrets[1] }])}::jsonb) as d(at timestamptz)`,
    sql`select ${`{${secrets[1]}}`}::uuid[]`,
  ];
  for (const statement of failures) {
    const error: unknown = await rows(statement).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    for (const seen of [error, new Error("the outer one", { cause: error })]) {
      const line = describeError(seen);
      for (const secret of secrets) expect(line).not.toContain(secret);
      expect(line).toMatch(/a statement failed: (select|insert)/);
      expect(line).toMatch(/caused by NeonDbError: (relation "nowhere"|invalid input syntax for type)/);
      expect(line).toMatch(/\n\s+at /);
    }
  }
});
