// @upstash/redis with the commands that the service sends, and @upstash/ratelimit with the algorithm that it uses: 8 of 26 KiB gzip.
import { REDIS_COMMANDS } from "../../lib/services/redis-commands.ts";
import { type PackageSource, replaceIn } from "./edit-packages.ts";

const KEPT = new Set<string>(REDIS_COMMANDS);

export const REDIS: PackageSource = {
  exports: `export { Redis } from "@upstash/redis"; export { Ratelimit } from "@upstash/ratelimit/dist/index.mjs";`,
  edits: {
    "@upstash/redis/chunk-4WQYU7T6.mjs": keepUsedCommands,
    // The exported class adds only the settings of an HTTP client, and ours is given to it.
    "@upstash/redis/nodejs.mjs": (source) => replaceIn(source, /\bRedis2 as Redis\b/, "Redis"),
    "@upstash/ratelimit/dist/index.mjs": keepFixedWindow,
  },
};

/** Commands are members of the classes of the client and of a pipeline, and so are getters of groups of commands. */
function keepUsedCommands(source: string): string {
  const isCommand = /new \w+Command\(|Index\(|new Script\(/;
  return replaceIn(
    source,
    /^ {2}(?:get )?(\w+)(?: = \(|\(.*\) \{).*\n(?: {3,}.*\n| {2}[})].*\n)*/gm,
    (member, name = "") => (isCommand.test(member) && !KEPT.has(name) ? "" : member),
  );
}

function keepFixedWindow(source: string): string {
  const others = "(?:slidingWindow|tokenBucket|cachedFixedWindow)";
  const withoutMethods = replaceIn(
    source,
    new RegExp(`^ {2}static ${others}\\(.*\n(?: {3,}.*\n|\n)* {2}\\}\n`, "gm"),
    "",
  );
  const withoutScripts = replaceIn(
    withoutMethods,
    new RegExp(`^ {4}${others}: \\{\n(?: {5,}.*\n)* {4}\\},?\n`, "gm"),
    "",
  );
  // The analytics of the package need a client of their own, and are off.
  return replaceIn(withoutScripts, /^import \{ Analytics as CoreAnalytics \}.*\n/m, "const CoreAnalytics = null;\n");
}
