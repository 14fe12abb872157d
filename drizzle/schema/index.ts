// Every table, for the migration generator and for tests; queries import the noun they need.
export * from "./accounts.ts";
export * from "./analytics.ts";
export * from "./approvals.ts";
export * from "./audit.ts";
export * from "./connections.ts";
export * from "./editor.ts";
export * from "./files.ts";
export * from "./folders.ts";
export * from "./keys.ts";
export * from "./packs.ts";
export * from "./people.ts";
export * from "./posts.ts";
export * from "./products.ts";
export * from "./slideshows.ts";
export * from "./tenants.ts";
export * from "./trends.ts";
export * from "./viral.ts";
