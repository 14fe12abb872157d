// The states of the simulated networks of test scopes, each changed only from the version that was read.
import { and, eq, sql } from "drizzle-orm";
import { simulatorStates } from "../../drizzle/schema/simulator.ts";
import type { Db } from "../services/database.ts";
import { inScope } from "./scope.ts";

const { state, version } = simulatorStates;

export async function loadSimulatorState(
  db: Db,
  scopeId: string,
  network: string,
): Promise<{ state: unknown; version: number } | null> {
  const [row] = await db.select({ state, version }).from(simulatorStates).where(isOf(scopeId, network));
  return row ?? null;
}

/** `expected`: the version that was read, 0 when there was none. False when another call was faster. */
export async function saveSimulatorState(
  db: Db,
  { scopeId, network, expected, state }: { scopeId: string; network: string; expected: number; state: unknown },
): Promise<boolean> {
  const saved =
    expected === 0
      ? await db
          .insert(simulatorStates)
          .values({ scopeId, network, state, version: 1 })
          .onConflictDoNothing()
          .returning({ version })
      : await db
          .update(simulatorStates)
          .set({ state, version: expected + 1, updatedAt: sql`now()` })
          .where(and(isOf(scopeId, network), eq(version, expected)))
          .returning({ version });
  return saved.length > 0;
}

const isOf = (scopeId: string, network: string) =>
  and(inScope(simulatorStates, { id: scopeId }), eq(simulatorStates.network, network));
