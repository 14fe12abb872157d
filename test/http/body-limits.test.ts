// Bodies that are expensive to validate are rejected before a schema runs, with a short response.
import { gzipSync } from "node:zlib";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { readText } from "../../lib/http/read-body.ts";
import { limitJson } from "../../lib/shared/json-limits.ts";
import { createTestTenant } from "../support/harness.ts";

const MAX_RESPONSE_BYTES = 64 * 1024;
const tenant = await createTestTenant();
const repeat = (item: string, count: number) => `[${Array.from({ length: count }, () => item).join(",")}]`;
const fields = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":1`).join(",");

async function post(path: string, raw: string, status = 422) {
  const response = await tenant.api.call("POST", path, { raw });
  expect(response.status).toBe(status);
  expect(JSON.stringify(response.body).length).toBeLessThan(MAX_RESPONSE_BYTES);
  return response.body;
}

test("422 for 20,000 accounts names the limit of the list", async () => {
  const body = await post("/posts", `{"caption":"a","accounts":${repeat("{}", 20_000)}}`);
  expect(body.fields).toEqual([{ path: "accounts", message: "Must have at most 100 items.", code: "too_big" }]);
});

test("422 for 280,000 values in 850 KB", async () => {
  const body = await post("/slideshows", `{"slides":${repeat(repeat("{}", 35), 8_000)}}`);
  expect(body.issues.fieldErrors.slides).toEqual([expect.stringMatching(/^Must have at most \d+ items\.$/)]);
  const nested = await post("/slideshows", `{"slides":${repeat(repeat(repeat("{}", 99), 30), 35)}}`);
  expect(nested.issues.formErrors).toEqual([expect.stringMatching(/^Must have at most [\d]+ values in total\.$/)]);
});

test("422 lists the first 100 errors and counts the others", async () => {
  const body = await post("/posts", `{"caption":"a","accounts":[{${fields(150)}}]}`);
  expect(body.fields).toHaveLength(100);
  expect(body.more).toBe(51);
  expect(body.fields[0]).toMatchObject({ path: expect.stringContaining("accounts.0") });
});

test("422 for an object with more than 200 fields", async () => {
  const body = await post("/posts", `{${fields(201)}}`);
  expect(body.fields).toEqual([{ path: "", message: "Must have at most 200 fields.", code: "too_many_fields" }]);
});

test("422 for a body that is nested too deep to be parsed", async () => {
  const body = await post("/posts", `{"caption":"a","accounts":${"[".repeat(400_000)}${"]".repeat(400_000)}}`);
  expect(body.fields).toEqual([
    { path: "", message: "Must be nested at most 32 levels deep.", code: "nested_too_deep" },
  ]);
});

test("201 for texts full of brackets, commas and escaped quotes", async () => {
  const name = `${"[{".repeat(9)}\\",\\\\${",".repeat(9)}`;
  const response = await tenant.api.call("POST", "/folders", { raw: `{"media_type":"upload","name":"${name}"}` });
  expect([response.status, response.body.data?.name]).toEqual([201, JSON.parse(`"${name}"`)]);
});

test("400 too_many_post_ids for 150,000 ids", async () => {
  const long = await post("/posts/delete", `{"post_ids":${repeat(`"${newId()}"`, 20_000)}}`, 400);
  expect(long.error_code).toBe("too_many_post_ids");
  expect(long.issues.fieldErrors.post_ids).toEqual(["Must have at most 200 items."]);
  const short = await post("/posts/delete", `{"post_ids":${repeat('"a"', 150_000)}}`, 400);
  expect(short.issues.fieldErrors.post_ids).toEqual(["Must have at most 200 items."]);
});

test("422 for a cursor beyond the year 9999, or of no project list", async () => {
  for (const text of ["999999999999999", "253402300800000", "99999999999999", "1e15", "-1", ""]) {
    const cursor = Buffer.from(`${text}.00000000-0000-4000-8000-000000000000`).toString("base64url");
    const response = await tenant.api.get(`/editor/projects?cursor=${cursor}`);
    expect([text, response.status, response.body.error_code]).toEqual([text, 422, "invalid_payload"]);
  }
});

/** A request whose body comes in these chunks, without Content-Length. */
function streamed(chunks: Iterator<Uint8Array>, headers: Record<string, string> = {}): Request {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return new Request("http://api.test/", { method: "POST", headers, body, duplex: "half" } as RequestInit);
}

function* listBytes(bytes: Uint8Array): Generator<Uint8Array> {
  for (const byte of bytes) yield Uint8Array.of(byte);
}

test("a body in chunks is the same text, wherever they cut characters", async () => {
  const bytes = Buffer.from(`{"a":"${"é好😀".repeat(5)}","b":[1,2]}`);
  expect(await readText(streamed(listBytes(bytes)))).toBe(bytes.toString());
  for (const damaged of [bytes.subarray(0, 7), Buffer.concat([bytes.subarray(0, 7), Buffer.from("}")])]) {
    await expect(readText(streamed(listBytes(damaged)))).rejects.toThrow("not valid UTF-8");
  }
});

test("400 for a compressed body says how to send it", async () => {
  const sent = new Request("http://api.test/", { method: "POST", body: gzipSync('{"name":"a"}') });
  await expect(readText(sent)).rejects.toThrow("Send JSON in UTF-8, without compression.");
});

test.each([0, 1, 65_535, 65_536, 65_537, 200_000, 1_048_576])("a body of %i bytes is read whole", async (size) => {
  const bytes = new Uint8Array(size).map((_, at) => 32 + (at % 90));
  const halves = [bytes.subarray(0, size / 2), bytes.subarray(size / 2)];
  const sent = new Request("http://api.test/", { method: "POST", body: bytes });
  for (const request of [sent, streamed(halves.values())]) {
    expect((await readText(request)) === Buffer.from(bytes).toString()).toBe(true);
  }
});

test.each([
  [4 * 1024 * 1024, 64],
  // A client that sends so much sees that the connection is closed.
  [64 * 1024 * 1024, 0],
])("413 for a Content-Length of %i once the client has sent %i chunks", async (length, most) => {
  let sent = 0;
  const chunks = (function* () {
    for (; sent < 64; sent++) yield new Uint8Array(64 * 1024).fill(32);
  })();
  const request = streamed(chunks, { "Content-Length": String(length) });
  await expect(readText(request)).rejects.toMatchObject({ code: "payload_too_large" });
  expect(sent).toBe(most);
});

test("413 for more than 1 MiB without Content-Length, before the rest is read", async () => {
  let sent = 0;
  const chunks = (function* () {
    for (; sent < 64; sent++) yield new Uint8Array(64 * 1024).fill(32);
  })();
  await expect(readText(streamed(chunks))).rejects.toMatchObject({ code: "payload_too_large", status: 413 });
  expect(sent).toBeLessThan(20);
});

test.each([
  ["[".repeat(1_001), "nested_too_deep"],
  [`[${"{".repeat(1_000)}`, "nested_too_deep"],
  [",".repeat(20_001), "too_many_values"],
  ["[".repeat(1_000), null],
  ["[]".repeat(5_000), null],
  [",".repeat(20_000), null],
  [`"${",[{".repeat(50_000)}"`, null],
  [`"\\"${",".repeat(50_000)}"`, null],
  [`"\\\\"${",".repeat(20_001)}`, "too_many_values"],
  [`"${"a".repeat(100)}",${",".repeat(20_000)}`, "too_many_values"],
  [`"${"a".repeat(100)}\\",${",".repeat(50_000)}"`, null],
  [`"${"a".repeat(100)}\\\\",${",".repeat(20_000)}"`, "too_many_values"],
  [`"${"a".repeat(63)}\\",${",".repeat(50_000)}"`, null],
  [`"${"a".repeat(64)}\\",${",".repeat(50_000)}"`, null],
  [`"${",".repeat(50_000)}`, null],
])("text %#: what is too expensive to parse is found outside strings only", (text, code) => {
  const limited = limitJson(Buffer.from(text), { maxValues: 100, maxItemsPerList: 30_000 });
  expect("error" in limited ? limited.error.code : null).toBe(code);
});

const LONG_TEXT = "a".repeat(65_536);

test.each([
  [`{"a":[{"b":[1,[2,2],3,4,5],"c":6}],"d":"${LONG_TEXT}"}`, `{"a":[{"b":[1,[2,2],3,4]}]}`],
  [`[[1,2,3],[4,5,6],{"a":1,"b":2,"c":3,"d":4},"${LONG_TEXT}",[1,2,3],6]`, null],
  [`["],[,",1,2,3,4,"${LONG_TEXT}"`, `["],[,",1,2,3]`],
  [`]},,,,,["${LONG_TEXT}",1,2,3,4]`, `]},,,,,["${LONG_TEXT}",1,2,3]`],
  [`{"a":[1,2,3,4,5,6]}`, null],
])("text %#: a long text is cut after the first list with too many items", (text, expected) => {
  const limited = limitJson(Buffer.from(text), { maxValues: 100, maxItemsPerList: text.startsWith("[[") ? 5 : 3 });
  expect("bytes" in limited && Buffer.from(limited.bytes).toString()).toBe(expected ?? text);
});

test("422 for a long body up to its first list with too many items; 400 for a short one that is not JSON", async () => {
  const ids = (count: number) => `{"post_ids":${repeat(`"${newId()}"`, count)}`;
  expect((await post("/posts/delete", ids(2_000), 400)).issues.fieldErrors.post_ids).toEqual([
    "Must have at most 200 items.",
  ]);
  for (const raw of [ids(1_000), `{"a" 1,${ids(2_000)}`, `${ids(2_000)}`.replace("0", "\\x")]) {
    const response = await tenant.api.call("POST", "/posts/delete", { raw });
    expect([response.status, response.body.error_code]).toEqual([400, "invalid_json"]);
  }
});
