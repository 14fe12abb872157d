// Finds in the log of the Workers that their runtime crashed: Miniflare restarts it, but with several Workers the requests
// after that may wait without end (5.20261117).
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";

const CRASH = "The Workers runtime crashed unexpectedly";

/** Returns whether a crash was written to the log since the call before. */
export function watchForCrash(logPath: string): () => boolean {
  let position = readSize(logPath);
  // The end of the text before, in which the sentence may begin.
  let rest = "";
  return () => {
    const added = readFrom(logPath, position);
    position += added.length;
    const text = rest + added;
    const isFound = text.includes(CRASH);
    rest = isFound ? "" : text.slice(-CRASH.length);
    return isFound;
  };
}

function readSize(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

function readFrom(path: string, position: number): string {
  const bytes = Buffer.alloc(Math.max(0, readSize(path) - position));
  if (bytes.length === 0) return "";
  const file = openSync(path, "r");
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, position)).toString("latin1");
  } finally {
    closeSync(file);
  }
}
