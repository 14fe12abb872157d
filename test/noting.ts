// Notes what every request of a test was refused with; see answers.ts.
import { inject } from "vitest";
import { note } from "./answers.ts";

declare global {
  /** There in the project `node` alone: other runtimes have no file to write to. */
  var noteRefusal: ((request: Request, status: number, code: string | undefined) => void) | undefined;
}

const seen = inject("seen");
globalThis.noteRefusal = (...refusal) => note(seen, ...refusal);
