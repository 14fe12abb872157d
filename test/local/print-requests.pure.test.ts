// Readable lines of the Worker's log.
import { expect, test } from "vitest";
import { formatLine } from "./print-requests.ts";

const entry = { request_id: "a", level: "info", endpoint: "posts.create", route: "POST /posts", status: 422, ms: 12 };

test("a request is one line without the words that wrangler puts before it", () => {
  const line = `[undefined] ${JSON.stringify({ ...entry, error_code: "invalid_payload", fields: ["media.url invalid_url"], round_trips: 1 })}`;
  const readable = formatLine(line) ?? "";
  expect(readable).toBe("422     12 ms  1 round trip    POST /posts  invalid_payload  media.url invalid_url");
});

test("routes begin in the same column, of endpoints and of pages, however long they are", () => {
  const route = `GET /${"a".repeat(90)}`;
  const lines = [
    { ...entry, round_trips: 12 },
    { ...entry, route, round_trips: 3, ids: ["b"], ms: 12_345 },
    { ...entry, route: "GET /docs" },
  ].map((one) => formatLine(JSON.stringify(one)));
  expect(lines).toEqual([
    "422     12 ms  12 round trips  POST /posts",
    `422  12345 ms  3 round trips   ${route}  b`,
    "422     12 ms                  GET /docs",
  ]);
});

test("an error of the service is printed, other lines are not", () => {
  expect(formatLine('{"request_id":"a","level":"error","error":"TypeError: x"}')).toBe("ERROR  TypeError: x  (a)");
  expect(formatLine("[wrangler:info] GET / 200 OK")).toBeNull();
  expect(formatLine('[undefined] {"request_id":"a","level":"info","queue":"deliveries"}')).toBeNull();
});
