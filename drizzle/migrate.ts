// Brings a database to the newest schema: `npm run db:migrate`, and what deploy and the local world run first.
import { join } from "node:path";
import { migrate as apply } from "drizzle-orm/neon-http/migrator";
import { connect } from "../lib/db.ts";

export interface DatabaseAddress {
  DATABASE_URL: string;
  DATABASE_FETCH_URL?: string | undefined;
}

export async function migrate(address: DatabaseAddress): Promise<void> {
  await apply(connect(address, "migrate"), { migrationsFolder: join(import.meta.dirname, "migrations") });
}

if (import.meta.main) {
  const { DATABASE_URL, DATABASE_FETCH_URL } = process.env;
  if (!DATABASE_URL) {
    console.error("Set DATABASE_URL to the Postgres that is to be migrated.");
    process.exit(2);
  }
  await migrate({ DATABASE_URL, DATABASE_FETCH_URL });
  console.log("The database has the newest schema.");
}
