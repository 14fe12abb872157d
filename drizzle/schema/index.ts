// Every table, for the migration generator and for tests; queries import the noun they need.
export * from "./accounts.ts";
export * from "./files.ts";
export * from "./keys.ts";
export * from "./posts.ts";
export * from "./tenants.ts";
