// A declaration of an endpoint must not compile with these mistakes; `npm run check` compiles this file.
import { expect, test } from "vitest";
import * as z from "zod";
import { endpoint } from "../../lib/http/endpoint.ts";

test("a path parameter whose noun has no error for a missing id is a type error", () => {
  const declare = () =>
    endpoint("posts.get", {
      route: "GET /posts/{postId}",
      summary: "Get a post",
      // @ts-expect-error: there is no missing_planet_id.
      params: { postId: "planet" },
      reply: z.object({}),
      message: "Post.",
      internalError: "get_failed",
      handle: async () => ({}),
    });
  expect(declare).toBeTypeOf("function");
});
