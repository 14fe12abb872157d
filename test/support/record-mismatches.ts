// Fails a test file when a driver sent, or a fake answered, what the reference of the network does not know.
import { appendFileSync } from "node:fs";
import { afterAll, expect, inject } from "vitest";
import { takeMismatches, takeRequests } from "../network-references/check.ts";

const file = inject("comparedRequestsFile");

afterAll(() => {
  appendFileSync(
    file,
    takeRequests()
      .map((request) => `${request}\n`)
      .join(""),
  );
  expect(takeMismatches(), "mismatches with test/network-references").toEqual([]);
});
