// Settings of a scope: of a workspace, or of a person's data that belongs to none.
import { type Column, eq, sql } from "drizzle-orm";
import { owners, workspaces } from "../../drizzle/schema/tenants.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import { type Read, readFirst } from "./read.ts";
import { qualified } from "./sql.ts";

/** The time zone of the scope of a row. */
export const scopeTimeZone = (scopeId: Column) =>
  qualified(
    sql<string>`coalesce((select ${workspaces.timeZone} from ${workspaces} where ${workspaces.id} = ${scopeId}),
      (select ${owners.timeZone} from ${owners} where ${owners.id} = ${scopeId}), 'UTC')`,
  );

export interface WorkspaceSettings {
  /** Null for a person's data that belongs to no workspace, like the name. */
  id: string | null;
  name: string | null;
  timeZone: string;
}

const WORKSPACE = { id: workspaces.id, name: workspaces.name, timeZone: workspaces.timeZone };
const PERSONAL = { id: sql<null>`null`, name: sql<null>`null`, timeZone: owners.timeZone };

export function findWorkspaceSettings(db: ReadOnlyDb, scope: Scope): Read<WorkspaceSettings | null> {
  const { workspaceId, ownerId } = scope;
  return workspaceId
    ? readFirst(db, db.select(WORKSPACE).from(workspaces).where(eq(workspaces.id, workspaceId)))
    : readFirst(db, db.select(PERSONAL).from(owners).where(eq(owners.id, ownerId)));
}

/** Posts that have a time keep it. */
export async function saveTimeZone(db: Db, scope: Scope, timeZone: string): Promise<WorkspaceSettings | null> {
  const { workspaceId, ownerId } = scope;
  const [row] = workspaceId
    ? await db.update(workspaces).set({ timeZone }).where(eq(workspaces.id, workspaceId)).returning(WORKSPACE)
    : await db.update(owners).set({ timeZone }).where(eq(owners.id, ownerId)).returning(PERSONAL);
  return row ?? null;
}
