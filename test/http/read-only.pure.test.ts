// A GET may run before its key is verified, so its context cannot write: checked by the compiler, not at run time.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { packs } from "../../drizzle/schema/index.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import type { EndpointSpec } from "../../lib/http/endpoint-spec.ts";
import type { ReadContext, RequestContext } from "../../lib/services/context.ts";

const common = {
  summary: "",
  reply: z.object({}),
  message: "",
  internalError: "internal_error",
} satisfies Partial<EndpointSpec<"GET /", object, z.ZodType, z.ZodType, z.ZodType, unknown>>;

function readPacks({ db }: ReadContext) {
  return db.batch([db.select().from(packs), db.select({ id: packs.id }).from(packs)]);
}

function writePacks(context: ReadContext) {
  // @ts-expect-error
  context.db.insert(packs);
  // @ts-expect-error
  context.db.update(packs);
  // @ts-expect-error
  context.db.delete(packs);
  // @ts-expect-error
  context.db.with().delete(packs);
  // @ts-expect-error
  context.db.execute("delete from packs");
  // @ts-expect-error
  context.db.batch([context.db.delete(packs)]);
  // @ts-expect-error
  context.enqueueDeliveries([], 0);
}

function deletePacks({ db }: RequestContext) {
  return db.batch([db.delete(packs)]);
}

test("a GET and every load read but do not compile when they write", () => {
  endpoint("test.get", {
    ...common,
    route: "GET /test",
    permission: "posts:read",
    load: readPacks,
    async handle(context) {
      // @ts-expect-error
      await deletePacks(context);
      return {};
    },
  });
  const post = endpoint("test.post", {
    ...common,
    route: "POST /test",
    permission: "posts:read",
    async load(context) {
      // @ts-expect-error
      await deletePacks(context);
    },
    async handle(context) {
      writePacks(context);
      await deletePacks(context);
      return {};
    },
  });
  expect(post.spec.route).toBe("POST /test");
});

test("raw statements of functions with a read-only handle do not write", () => {
  const folder = join(import.meta.dirname, "../../lib/queries");
  const functions = globSync("*.ts", { cwd: folder })
    .flatMap((file) =>
      readFileSync(join(folder, file), "utf8").split(/\n(?=(?:export )?(?:async )?(?:function|const) )/),
    )
    .filter((text) => text.includes("db: ReadOnlyDb"));
  expect(functions.length).toBeGreaterThan(30);
  const writes = /\b(insert\s+into|delete\s+from|update\s+\S+\s+(\w+\s+)?set)\b/i;
  expect(functions.filter((text) => writes.test(text))).toEqual([]);
});
