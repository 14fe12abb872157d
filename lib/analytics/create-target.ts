// Creates a target, or finds the existing target of the same account.
import type * as z from "zod";
import { insertTarget, mayTrack } from "../queries/analytics-targets.ts";
import { DEFAULT_REFRESH_POLICY, type TargetCreate } from "../schemas/analytics.ts";
import { normalizeHandle, parseHandle } from "../schemas/analytics-handle.ts";
import { toUtcDay } from "../schemas/analytics-period.ts";
import type { ReadContext, RequestContext } from "../services/context.ts";
import { apiError } from "../shared/errors.ts";

type Body = z.output<typeof TargetCreate>;

/** The schema has checked that the identifier names an account. */
const readHandle = ({ platform, identifier }: Body): string => parseHandle(platform, identifier) ?? identifier;

export function loadMayTrack({ db, key }: Pick<ReadContext, "db" | "key">, body: Body): PromiseLike<boolean> {
  return mayTrack(db, key.scope, { platform: body.platform, handle: normalizeHandle(readHandle(body)) });
}

/** Throws `unknown_accounts`. */
export async function createTarget(
  { db, key, ids, now }: Pick<RequestContext, "db" | "key" | "ids" | "now">,
  body: Body,
  isAllowed: boolean,
) {
  const { platform, identifier, alias } = body;
  if (!isAllowed) throw apiError("unknown_accounts", `No account ${identifier} is visible to the key.`);
  const handle = readHandle(body);
  const target = {
    id: ids(),
    platform,
    identifier: identifier.trim(),
    normalizedIdentifier: normalizeHandle(handle),
    displayName: alias ?? handle,
    ...DEFAULT_REFRESH_POLICY,
    createdAt: now,
  };
  const insert = () => insertTarget(db, key.scope, target, toUtcDay(now));
  // A concurrent request may have inserted it after our snapshot; the second attempt sees it.
  const result = (await insert()) ?? (await insert());
  if (!result) throw new Error("a target was neither inserted nor found");
  return result;
}
