// An endpoint run without HTTP for a token: the same schemas, permissions, errors, idempotency and limits as over HTTP.
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import commitPost from "../../functions/posts/commit.ts";
import getPost from "../../functions/posts/get.ts";
import preparePost from "../../functions/posts/prepare.ts";
import type { Endpoint } from "../../lib/http/endpoint-spec.ts";
import { type ExecutionInput, execute } from "../../lib/http/execute.ts";
import { toApiError } from "../../lib/shared/errors.ts";
import {
  createBindings,
  createTestAccount,
  createTestKey,
  createTestTenant,
  type Tenant,
  type TestAccount,
} from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";

let tenant: Tenant;
let account: TestAccount;
let token: string;

beforeAll(async () => {
  tenant = await createTestTenant();
  account = await createTestAccount(tenant, "bluesky");
  token = await createTestKey(tenant, { permissions: ["posts:read", "posts:write"], accountIds: [account.id] });
});

const env = createBindings([]);

function run(endpoint: Endpoint, input: ExecutionInput, { caller = token, requestId = newId() } = {}) {
  const executionCtx = { waitUntil: () => undefined, passThroughOnException() {} } as unknown as ExecutionContext;
  const environment = { env, executionCtx, origin: "http://api.test", requestId };
  // biome-ignore lint/suspicious/noExplicitAny: tests read any response and assert on it.
  return execute<any>(endpoint, { token: caller }, input, environment);
}

const fail = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => toApiError(error),
  );
const draft = () => ({ caption: "Tea", accounts: [{ id: account.id }] });

test("returns data, in as many round trips as over HTTP", async () => {
  const { id } = await run(preparePost, { body: draft() });
  expect(await run(getPost, { params: { postId: id } })).toEqual((await tenant.api.get(`/posts/${id}`)).body.data);
  for (const [endpoint, input, trips] of [
    [getPost, { params: { postId: id } }, 1],
    [preparePost, { body: draft() }, 2],
    [preparePost, { body: draft(), idempotencyKey: newId() }, 3],
  ] as const) {
    const requestId = newId();
    const { cost } = await measureCost(requestId, () => run(endpoint, input, { requestId }));
    expect([endpoint.id, cost.round_trips]).toEqual([endpoint.id, trips]);
  }
});

test("throws the error of the endpoint, with its fields", async () => {
  const { id } = await run(preparePost, { body: draft() });
  expect(await fail(run(commitPost, { params: { postId: id } }))).toMatchObject({
    ...{ code: "missing_permission", status: 403, message: expect.stringContaining("posts:publish") },
  });
  expect(await fail(run(getPost, { params: { postId: newId() } }))).toMatchObject({ code: "not_found", status: 404 });
  expect(await fail(run(preparePost, { body: { ...draft(), text: "?" } }))).toMatchObject({
    ...{ code: "invalid_payload", status: 422, extra: { fields: [expect.objectContaining({ path: "text" })] } },
  });
  const hidden = await createTestAccount(tenant, "threads");
  const body = { caption: "Tea", accounts: [{ id: hidden.id }] };
  expect(await fail(run(preparePost, { body }))).toMatchObject({ code: "unknown_accounts" });
  for (const [caller, code] of [
    ["", "missing_token"],
    [`${token.slice(0, -1)}?`, "invalid_token"],
    [await createTestKey(tenant, { expiresAt: new Date(0) }), "expired_token"],
  ] as const) {
    expect(await fail(run(getPost, { params: { postId: id } }, { caller }))).toMatchObject({ code, status: 401 });
  }
});

test("the same Idempotency-Key returns the first answer, another body is a conflict", async () => {
  const idempotencyKey = newId();
  const first = await run(preparePost, { body: draft(), idempotencyKey });
  expect(await run(preparePost, { body: draft(), idempotencyKey })).toEqual(first);
  const other = { body: { ...draft(), caption: "Coffee" }, idempotencyKey };
  expect(await fail(run(preparePost, other))).toMatchObject({ code: "idempotency_key_reused" });
});
