// Run by `npm ci`: builds what every start of the local stack begins with, the Workers and the template of its database. What is
// missing or out of date, a start builds itself, so an error here is only said.
import { buildWorkers } from "./runtime/build-workers.ts";
import { buildTemplates } from "./template/database-template.ts";

const results = await Promise.allSettled([buildWorkers(), buildTemplates()]);
for (const result of results) if (result.status === "rejected") console.error(String(result.reason));
