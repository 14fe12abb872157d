// Applies the migrations: `npm run db:migrate`; deployment and the local stack run it first.
import { join } from "node:path";
import { migrate as apply } from "drizzle-orm/neon-http/migrator";
import { openDatabase } from "../../lib/services/database.ts";

export interface DatabaseConfig {
  DATABASE_URL: string;
  DATABASE_FETCH_URL?: string | undefined;
}

export async function migrate(config: DatabaseConfig): Promise<void> {
  await apply(openDatabase(config, "migrate"), { migrationsFolder: join(import.meta.dirname, "../migrations") });
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
