// Files of the local state that cannot be read: which one it is, and how to start again without it.
import { readFile } from "node:fs/promises";

export class DamagedStateError extends Error {
  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `${path} cannot be read: ${reason}\nStart again with an empty state: npm start -- --fresh (it deletes the local posts, files and keys).`,
      { cause },
    );
  }
}

/** The JSON of a file, null when there is none. */
export async function readStateFile<Value extends object>(path: string): Promise<Value | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new DamagedStateError(path, error);
  }
  const value: unknown = await readable(path, () => JSON.parse(text));
  if (typeof value !== "object" || value === null) throw new DamagedStateError(path, "it holds no JSON object.");
  return value as Value;
}

/** Runs what reads the state at `path`, and names it when that fails. */
export async function readable<Result>(path: string, read: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof DamagedStateError ? error : new DamagedStateError(path, error);
  }
}
