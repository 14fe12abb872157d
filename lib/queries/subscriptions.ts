import { subscriptions } from "../../drizzle/schema/tenants.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import { readFirst } from "./read.ts";
import { inScope } from "./scope.ts";

/** That of the live scope in test mode. */
export function findSubscription(db: ReadOnlyDb, { id, sandbox }: Scope) {
  const { status, tier, paidUntil } = subscriptions;
  return readFirst(
    db,
    db
      .select({ status, tier, paidUntil })
      .from(subscriptions)
      .where(inScope(subscriptions, { id: sandbox?.liveScopeId ?? id })),
  );
}
