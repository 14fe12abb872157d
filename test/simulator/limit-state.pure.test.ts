// The state of a simulated network is bounded, in entries and in bytes.
import { expect, test } from "vitest";
import { limitState, MAX_STATE_BYTES } from "../../lib/simulator/limit-state.ts";
import type { StoredState } from "../../lib/simulator/networks/context.ts";

const build = (maps: StoredState["maps"], lists: StoredState["lists"] = {}): StoredState => ({
  ...{ startedAt: 0, lastId: 0, maps, lists },
});
const numbered = (count: number, text = "") => Array.from({ length: count }, (_, at) => ({ at, text }));

test("the newest 1,000 of each kind are kept", () => {
  const pairs = numbered(1_500).map((entry): [string, unknown] => [String(entry.at), entry]);
  const { state, json } = limitState(build({ uploads: pairs }, { published: numbered(1_001) }));
  expect(state.maps.uploads?.map(([key]) => key)).toEqual(Array.from({ length: 1_000 }, (_, at) => String(at + 500)));
  expect(state.lists.published).toEqual(numbered(1_001).slice(1));
  expect(json).toBe(JSON.stringify(state));
});

test("the oldest of the largest kinds go until the JSON has at most the bytes of the limit, and small kinds stay", () => {
  // Two bytes a letter.
  const [captions, accounts] = [numbered(900, "é".repeat(10_000)), numbered(12, "account")];
  const { state, json } = limitState(build({}, { accounts, captions }));
  expect(Buffer.byteLength(json)).toBeLessThanOrEqual(MAX_STATE_BYTES);
  expect(Buffer.byteLength(json)).toBeGreaterThan(MAX_STATE_BYTES - 25_000);
  expect(state.lists.accounts).toEqual(accounts);
  expect(state.lists.captions).toEqual(captions.slice(-(state.lists.captions?.length ?? 0)));
  expect(json).toBe(JSON.stringify(state));
});

test("what goes is taken from the next kind when the largest has one entry left", () => {
  const huge = "a".repeat(MAX_STATE_BYTES - 1_000);
  const { state, json } = limitState(build({}, { huge: [{ text: huge }], posts: numbered(100, "a".repeat(1_000)) }));
  expect(state.lists.huge).toHaveLength(1);
  expect(state.lists.posts?.at(-1)).toMatchObject({ at: 99 });
  expect(state.lists.posts?.length).toBeLessThan(2);
  expect(Buffer.byteLength(json)).toBeLessThan(MAX_STATE_BYTES + 2_000);
});
