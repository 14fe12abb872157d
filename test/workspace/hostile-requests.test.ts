// Requests that no page sends: too large, broken, nested, forged. Each gets a 4xx with a sentence, before work is done for it.
import { v7 as newId } from "uuid";
import { beforeAll, describe, expect, test } from "vitest";
import { PAGES } from "../../functions/workspace/pages.ts";
import { createTestTenant, type Tenant } from "../support/harness.ts";
import { type Browser, createBrowser, type Page, signInOwner } from "./dashboard.ts";

const KIB = 1024;
const BROKEN_FORM = { body: "--x\r\nnothing", headers: { "Content-Type": "multipart/form-data; boundary=y" } };
const FORM_TYPE = { "Content-Type": "application/x-www-form-urlencoded" };

let tenant: Tenant;
let owner: Browser;

beforeAll(async () => {
  tenant = await createTestTenant();
  owner = await signInOwner(tenant);
});

/** Counts the bytes that are read of a body of this size, sent in pieces of 16 KiB. */
function createBody(bytes: number) {
  const seen = { bytes: 0 };
  const piece = new Uint8Array(16 * KIB).fill(0x61);
  const body = new ReadableStream(
    {
      pull(controller) {
        if (seen.bytes >= bytes) return controller.close();
        seen.bytes += piece.length;
        controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
  return { body, seen };
}

function expectSentence({ status, text }: Page, expected: number): void {
  expect(status).toBe(expected);
  expect(text.replaceAll(/<[^>]+>/g, " ")).toMatch(/[A-Z][^.]{10,}\./);
}

const fillPath = (path: string) => `/dashboard/${tenant.workspaceId}${path.replaceAll(/:\w+/g, () => newId())}`;

const BEFORE_SIGN_IN = [
  "/auth/email-otp/send-verification-otp",
  "/auth/sign-in/email-otp",
  "/auth/sign-out",
  "/auth/passkey/verify-authentication",
  "/auth/passkey/verify-registration",
  "/auth/nothing",
  `/approve/${"x".repeat(43)}`,
  `/unsubscribe/${newId()}.${"0".repeat(64)}`,
  `/dashboard/invitations/${newId()}/accept`,
  `/dashboard/passkeys/${newId()}/remove`,
  `/dashboard/${newId()}/keys`,
  `/connect/${"x".repeat(43)}`,
  `/connect/${"x".repeat(43)}/accounts`,
  `/connect/${"x".repeat(43)}/done`,
];

describe.each(BEFORE_SIGN_IN)("POST %s", (path) => {
  test.each([
    ["declared", { "Content-Length": String(5 * KIB * KIB) }],
    ["streamed", {}],
    ["streamed as a form", FORM_TYPE],
  ])("413 for 5 MiB that are %s, after at most 80 KiB", async (_, headers) => {
    const { body, seen } = createBody(5 * KIB * KIB);
    expectSentence(await createBrowser().visit(path, { body, headers }), 413);
    expect(seen.bytes).toBeLessThanOrEqual(80 * KIB);
  });

  test("400 for a broken form, 403 from another page whatever its type is", async () => {
    expectSentence(await createBrowser().visit(path, BROKEN_FORM), 400);
    if (path.startsWith("/unsubscribe")) return;
    for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x", "", "image/png"]) {
      for (const origin of ["https://evil.example", "null", null]) {
        const page = await createBrowser().visit(path, { body: "{}", headers: { "Content-Type": type }, origin });
        expect([400, 403]).toContain(page.status);
        if (!type.startsWith("multipart")) expect(page.status).toBe(403);
      }
    }
  });
});

describe.each(BEFORE_SIGN_IN.filter((path) => path.startsWith("/auth/") && !/nothing|sign-out/.test(path)))(
  "JSON at %s",
  (path) => {
    const email = "nobody@example.com";
    const nested = (depth: number) => `{"email":"${email}","response":${"[".repeat(depth)}${"]".repeat(depth)}}`;

    test.each([
      ["null"],
      ["[]"],
      ["1"],
      ['"text"'],
      [""],
      ["{"],
      ["{}"],
      ["NaN"],
      ['{"email":null,"otp":null,"response":null}'],
      ['{"email":{"a":1},"response":1}'],
      ['{"email":"a\\u0000@example.com","otp":"1","response":{"id":"\\u0000"}}'],
      ['{"email":"\\ud800@example.com","response":{"id":"\\ud800"}}'],
      [nested(40)],
      [nested(30_000)],
      [`{"email":"${email}","list":[${"1,".repeat(10_000)}1]}`],
      ["\ufffe\u0000"],
    ])("4xx for %.40s", async (body) => {
      const page = await createBrowser().visit(path, { body, headers: { "Content-Type": "application/json" } });
      expect(page.status).toBeGreaterThanOrEqual(400);
      expect(page.status).toBeLessThan(500);
    });
  },
);

describe.each(PAGES.filter(({ method }) => method === "POST"))("form of $id", ({ path }) => {
  test("413 above 64 KiB, 400 for a broken form and for NUL, 4xx for what is no form", async () => {
    const url = fillPath(path);
    const { body, seen } = createBody(16 * KIB * KIB);
    expectSentence(await owner.visit(url, { body, headers: FORM_TYPE }), 413);
    expect(seen.bytes).toBeLessThanOrEqual(80 * KIB);
    expectSentence(await owner.visit(url, BROKEN_FORM), 400);
    const nul = { name: "a\0b", recipient: "\0", email: "\0@example.com", days: "7", text: "\0", role: "editor" };
    expectSentence(await owner.visit(url, { form: nul }), 400);
    for (const what of ["null", "{", "x".repeat(1000)]) {
      const page = await owner.visit(url, { body: what, headers: { "Content-Type": "application/json" } });
      expect(page.status).toBeLessThan(500);
    }
    const file = new FormData();
    for (const name of Object.keys(nul)) file.append(name, new File(["x"], "x.txt"));
    expect((await owner.visit(url, { body: file })).status).toBeLessThan(500);
  });
});

test("an operation behind the dashboard reads at most its own limit, and nothing for a visitor who is signed out", async () => {
  const path = `/dashboard/${tenant.workspaceId}/api/posts/prepare`;
  const large = createBody(30 * KIB * KIB);
  const page = await owner.visit(path, { body: large.body });
  expect([page.status, JSON.parse(page.text).error_code]).toEqual([413, "payload_too_large"]);
  expect(large.seen.bytes).toBeLessThan(2 * KIB * KIB);
  const declared = createBody(30 * KIB * KIB);
  expect((await owner.visit(path, { body: declared.body, headers: { "Content-Length": "31457280" } })).status).toBe(
    413,
  );
  expect(declared.seen.bytes).toBe(0);
  const unseen = createBody(30 * KIB * KIB);
  expect((await createBrowser().visit(path, { body: unseen.body })).status).toBe(403);
  expect(unseen.seen.bytes).toBe(0);
  const nested = `{"caption":${"[".repeat(500_000)}`;
  expect((await owner.visit(path, { body: nested })).status).toBe(422);
});

const QUERIES = [
  ...["day=9999-12-31", "day=0000-01-01", "day=10000-01-01", "day=-1", "day=2026-02-30", "day=275760-09-13", "day[]=1"],
  ...["month=9999-12", "month=0000-00", "month=275760-09", "month=%FF", "month=1969-12", "month=0001-01"],
  `before=0000-01-01T00:00:00Z_${newId()}`,
  `before=9999-12-31T23:59:59Z_${newId()}`,
  ...["before=1e308", "before=9007199254740991", "before=-1", "before=_", "before=99999999999999999999"],
  ...[
    "cursor=x",
    "cursor=%7B%7D",
    "cursor=bnVsbA",
    `cursor=${"a".repeat(5000)}`,
    "offset=-1",
    "offset=1e99",
    "offset=99999999999",
  ],
  ...[
    "draft=x",
    `draft=${newId()}`,
    "range=x",
    "search=%25",
    `search=${"x".repeat(5000)}`,
    "q=%25%5C",
    "q=%FF",
    "q=%ED%A0%80",
  ],
  ...["clip=x", "text=-1", "from=NaN", "from=1e400", "status=__proto__", "network=constructor", "account=x"],
];

/** One query per parameter, joined: the first values of all parameters, then the second ones, and so on. */
const JOINED_QUERIES = joinQueries(QUERIES);

function joinQueries(queries: string[]): string[][] {
  const byName = Map.groupBy(queries, (query) => query.slice(0, query.indexOf("=")));
  const rounds = Math.max(...[...byName.values()].map(({ length }) => length));
  return Array.from({ length: rounds }, (_, at) => [...byName.values()].flatMap((same) => same[at] ?? []));
}

describe.each(PAGES.filter(({ method }) => method === "GET"))("address of $id", ({ path }) => {
  test("never 500, whatever its query is; 404 with NUL", async () => {
    const plain = await owner.visit(fillPath(path));
    for (const joined of JOINED_QUERIES) {
      const { status } = await owner.visit(`${fillPath(path)}?${joined.join("&")}`);
      // A response that differs from the one without a query may have ended before the other parameters were read.
      for (const query of status === plain.status ? [] : joined) {
        const alone = await owner.visit(`${fillPath(path)}?${query}`);
        expect([query, alone.status < 500]).toEqual([query, true]);
      }
    }
    expect(plain.status).toBeLessThan(500);
    for (const query of ["q=%00", "search=a%00b", "cursor=%00"])
      expectSentence(await owner.visit(`${fillPath(path)}?${query}`), 404);
    if (path.includes(":")) {
      for (const id of ["%00", "%", "%FF", "..", "x".repeat(5000), newId().toUpperCase()]) {
        const page = await owner.visit(`/dashboard/${tenant.workspaceId}${path.replaceAll(/:\w+/g, id)}`);
        expect([id, page.status < 500]).toEqual([id, true]);
      }
    }
  });
});

test.each([
  "null",
  "1",
  "[]",
  "%",
  "%FF",
  "{}",
  '{"kind":{},"text":{}}',
  '{"kind":"done"}',
  '{"kind":"x","text":"Pay here"}',
  '{"kind":"done","text":["a"]}',
  '{"kind":"done","text":"a","secret":{"a":1}}',
  "x".repeat(4000),
])("a forged notice %.30s is no notice, and no error", async (value) => {
  for (const path of [`/dashboard/${tenant.workspaceId}/queue`, "/dashboard/passkeys"]) {
    owner.cookies.set("notice", value.startsWith("{") ? encodeURIComponent(value) : value);
    const page = await owner.visit(path);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('class="notice');
  }
});

test("forged cookies of the time zone, the session and the sign-in change nothing", async () => {
  for (const value of ["%", "null", "x".repeat(4000), "Etc/GMT+99", "../../etc", "\u00ff"]) {
    const visitor = createBrowser();
    for (const name of ["zone", "workspace.session_token", "sign_in_browser", "notice"])
      visitor.cookies.set(name, value);
    expect((await visitor.visit("/dashboard/sign-in")).status).toBe(200);
    expect((await visitor.visit(`/dashboard/${tenant.workspaceId}/queue`)).status).toBe(302);
    owner.cookies.set("zone", value);
    expect((await owner.visit(`/dashboard/${tenant.workspaceId}/queue`)).status).toBe(200);
  }
});
