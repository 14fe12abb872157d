import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { announceSteps } from "./announce-steps.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a step that takes over ten seconds is named again, until the next one begins", () => {
  const lines: string[] = [];
  const steps = announceSteps((line) => lines.push(line));
  steps.begin("schema");
  vi.advanceTimersByTime(9_999);
  expect(lines).toEqual(["schema"]);
  vi.advanceTimersByTime(10_001);
  expect(lines).toEqual(["schema", "still waiting for: schema (10 s)", "still waiting for: schema (20 s)"]);
  steps.begin("seed");
  vi.advanceTimersByTime(10_000);
  expect(lines.slice(3)).toEqual(["seed", "still waiting for: seed (10 s)"]);
  steps.end();
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(5);
});
