// The plan of a scope.
import { eq } from "drizzle-orm";
import { subscriptions } from "../../drizzle/schema/tenants.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";

export async function findSubscription(db: ReadOnlyDb, scope: Scope) {
  const { status, tier, paidUntil } = subscriptions;
  const [row] = await db
    .select({ status, tier, paidUntil })
    .from(subscriptions)
    .where(eq(subscriptions.scopeId, scope.id));
  return row ?? null;
}
