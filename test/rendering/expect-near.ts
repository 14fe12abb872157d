// Compares a rendered colour with the one that is wanted.
import { expect } from "vitest";
import type { Color } from "./test-images.ts";
import { isNear } from "./test-renderer.ts";

export function expectNear(found: Color, wanted: Color, what: string): void {
  expect(isNear(found, wanted), `${what}: ${found} instead of ${wanted}`).toBe(true);
}
