// Records the API errors of every request of a test; see error-coverage.ts.
import { inject } from "vitest";
import { recordError } from "./error-coverage.ts";

declare global {
  /** Defined in the project `node` only: other runtimes have no file system. */
  var recordApiError: ((request: Request, status: number, code: string | undefined) => void) | undefined;
}

const file = inject("observedErrorsFile");
globalThis.recordApiError = (...error) => recordError(file, ...error);
