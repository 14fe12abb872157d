// Begins to track an account, or finds the target that tracks it already.
import type * as z from "zod";
import type { Call } from "../call.ts";
import * as targets from "../queries/analytics-targets.ts";
import type { TargetCreate } from "../schemas/analytics.ts";
import { handleOf, normalized } from "./identifier.ts";
import { dayOf } from "./period.ts";

const POSTS_USUALLY = 500;

export async function track(
  { db, key, ids, now }: Pick<Call, "db" | "key" | "ids" | "now">,
  { platform, identifier, alias }: z.output<typeof TargetCreate>,
) {
  // The schema has seen that it names an account.
  const handle = handleOf(platform, identifier) ?? identifier;
  const target = {
    id: ids(),
    platform,
    identifier: identifier.trim(),
    normalizedIdentifier: normalized(handle),
    displayName: alias ?? handle,
    maxPosts: POSTS_USUALLY,
    createdAt: now,
  };
  const insert = () => targets.insert(db, key.scope, target, dayOf(now));
  // Another request may have made it at this very moment; by now it can be seen.
  const tracked = (await insert()) ?? (await insert());
  if (!tracked) throw new Error("a target was neither inserted nor found");
  return tracked;
}
