// Ids in upper case name the same posts and accounts as in lower case, in every operation that takes them.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { PostCreate, PostDelete, PostPatch, PostRetry } from "../../lib/schemas/post-body.ts";
import { createTestAccount, createTestTenant } from "../support/harness.ts";

const ID = "0198f1c2-6d1e-7b3a-9c55-2f0a4be1d7c3";
const UPPER = ID.toUpperCase();

test("every schema returns ids in lower case", () => {
  const accounts = [{ id: UPPER }];
  expect(PostCreate.parse({ caption: "a", accounts }).accounts).toEqual([{ id: ID }]);
  expect(PostPatch.parse({ accounts }).accounts).toEqual([{ id: ID }]);
  expect(PostRetry.parse({ post_ids: [UPPER, ID], account_ids: [UPPER] })).toEqual({
    post_ids: [ID],
    account_ids: [ID],
  });
  expect(PostDelete.parse({ post_ids: [UPPER, ID] })).toEqual({ postIds: [ID] });
  expect(PostDelete.parse({ postIds: [UPPER, ID] })).toEqual({ postIds: [ID] });
});

test("the responses to ids in upper case are those to ids in lower case", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  const first = await createTestAccount(tenant, "bluesky");
  const second = await createTestAccount(tenant, "bluesky");
  const unknown = newId();
  const toUpper = (text: string) => text.toUpperCase();
  const toLower = (text: string) => text.toLowerCase();
  const respond = async (change: (id: string) => string) => {
    const accounts = [first, second].map(({ id }) => ({ id: change(id) }));
    const created = await api.post("/posts/prepare", { caption: "a", accounts: [accounts[1], ...accounts] });
    const { id, plan_hash, checks, warnings } = created.body.data;
    const path = `/posts/${change(id)}`;
    const responses = [
      await api.get(path),
      await api.patch(path, { caption: "b", accounts: accounts.slice(0, 1) }),
      await api.post("/posts", { caption: "a", accounts: [...accounts, { id: change(unknown) }] }),
      await api.post(`${path}/commit`, {}),
      await api.post("/posts/retry", { post_ids: [change(id), change(unknown)], account_ids: [change(first.id)] }),
      await api.post("/posts/delete", { post_ids: [change(id), change(unknown)] }),
      await api.get(path),
    ];
    const results = responses.map(({ status, body: { ok: _, ...body } }) => ({ status, body }));
    const text = JSON.stringify([plan_hash, checks, warnings, results]);
    return text.replaceAll(id, "POST").replaceAll(/"\d{4}-\d\d-\d\dT[^"]+"/g, '"TIME"');
  };
  const lower = await respond(toLower);
  expect(await respond(toUpper)).toBe(lower);
  expect(lower).toContain('"deletedIds":["POST"]');
  expect(lower).toContain(`"account_id":"${second.id}","ok":true`);
});
