// An import of the sample data goes on after statements that failed.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { v7 as newId } from "uuid";
import { afterAll, expect, test } from "vitest";
import * as z from "zod";
import { runImport } from "../../../functions/commands/import-jsonl.ts";
import { openTestDatabase } from "../../support/harness.ts";
import { resumeAfterErrors } from "./load.ts";

const folder = mkdtempSync(join(tmpdir(), "corpus-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a slow statement does not end the load: it goes on after the last stored transaction", async () => {
  const file = join(folder, "lines.jsonl");
  const ids = Array.from({ length: 25 }, () => newId());
  writeFileSync(file, ids.map((id) => `${JSON.stringify({ id })}\n`).join(""));
  const stored: string[] = [];
  let transactions = 0;
  const kind = {
    name: "corpus-test",
    line: z.object({ id: z.uuid() }),
    linesPerTransaction: 10,
    keyOf: ({ id }: { id: string }) => id,
    async store(_: unknown, lines: { id: string }[]) {
      transactions += 1;
      if (transactions === 2 || transactions === 3) throw new Error("statement timeout");
      stored.push(...lines.map(({ id }) => id));
      return [];
    },
  };
  const reported: [string, number][] = [];
  const progress = await resumeAfterErrors(
    () => runImport(openTestDatabase(), kind, { file, onProgress: () => undefined }),
    (error, seconds) => reported.push([error.message, seconds]),
    [0, 0.001, 0],
  );
  expect(progress).toMatchObject({ lines: 25, stored: 25, rejected: 0 });
  expect(stored).toEqual(ids);
  expect(reported).toEqual([
    ["statement timeout", 0],
    ["statement timeout", 0.001],
  ]);
});

test("an error that stays ends the load with its own message", async () => {
  const attempt = async () => Promise.reject(new Error("connection refused"));
  await expect(resumeAfterErrors(attempt, () => undefined, [0])).rejects.toThrow("connection refused");
});
