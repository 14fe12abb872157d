// Readable lines of the Worker's log.
import { expect, test } from "vitest";
import { formatLine } from "./print-requests.ts";

const entry = { request_id: "a", level: "info", endpoint: "posts.create", route: "POST /posts", status: 422, ms: 12 };

test("a request is one line without the words that wrangler puts before it", () => {
  const line = `[undefined] ${JSON.stringify({ ...entry, error_code: "invalid_payload", fields: ["media.url invalid_url"], round_trips: 1 })}`;
  const readable = formatLine(line) ?? "";
  expect(readable).toMatch(
    /^422 {2}POST \/posts +12 ms {2}1 round trips {2}invalid_payload {2}media\.url invalid_url$/,
  );
});

test("an error of the service is printed, other lines are not", () => {
  expect(formatLine('{"request_id":"a","level":"error","error":"TypeError: x"}')).toBe("ERROR  TypeError: x  (a)");
  expect(formatLine("[wrangler:info] GET / 200 OK")).toBeNull();
  expect(formatLine('[undefined] {"request_id":"a","level":"info","queue":"deliveries"}')).toBeNull();
});
