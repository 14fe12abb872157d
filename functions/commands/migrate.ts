// Applies the migrations: `npm run db:migrate`; deployment and the local stack run it first.
import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { migrate as apply } from "drizzle-orm/neon-http/migrator";
import { openCommandDatabase } from "../../lib/services/database.ts";

export interface DatabaseConfig {
  DATABASE_URL: string;
  DATABASE_FETCH_URL?: string | undefined;
}

const FOLDER = { migrationsFolder: join(import.meta.dirname, "../../drizzle/migrations") };

/** Throws for a database of the earlier set of migrations, which was merged into this one before the first deployment. */
export async function migrate(config: DatabaseConfig): Promise<void> {
  const db = openCommandDatabase(config, "migrate");
  const [firstMigration] = readMigrationFiles(FOLDER);
  const applied = await db
    .execute<{ at: string }>("select min(created_at)::text as at from drizzle.__drizzle_migrations")
    // A new database has no such table; `apply` reports any other error.
    .catch(() => null);
  const oldest = applied?.rows[0]?.at;
  if (firstMigration && oldest && Number(oldest) < firstMigration.folderMillis) {
    throw new Error("The database was made by older migrations, which these replace: start with an empty database.");
  }
  await apply(db, FOLDER);
}

if (import.meta.main) {
  const { DATABASE_URL, DATABASE_FETCH_URL } = process.env;
  if (!DATABASE_URL) {
    console.error("Set DATABASE_URL to the Postgres database to migrate.");
    process.exit(2);
  }
  await migrate({ DATABASE_URL, DATABASE_FETCH_URL });
  console.log("The database schema is up to date.");
}
