// Records the statements that the service sends to Postgres, and explains them.
import type { Database } from "../local/database.ts";

interface Statement {
  query: string;
  params: unknown[];
}

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Parent Relationship"?: string;
  Plans?: Node[];
}

export interface Plan {
  /** Tables with a sequential scan. */
  scanned: string[];
  indexes: string[];
  /** True when rows are sorted after reading; sorts inside a subplan per row do not count. */
  sorted: boolean;
}

/** Runs the work and returns the plan of every statement that it sent to this database, in order. */
export async function explainQueries(database: Database, work: () => PromiseLike<unknown>): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (const statement of await recordStatements(database, work)) {
    // A transaction setting applies to the statements after it.
    if (SETTING.test(statement.query)) await database.query(statement.query.replace(SETTING, "set "));
    else plans.push(await explainStatement(database, statement));
  }
  await database.query("reset all");
  return plans;
}

const SETTING = /^set local /;

async function recordStatements({ fetchUrl }: Database, work: () => PromiseLike<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const plain = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    if (String(input) === fetchUrl) {
      const body: Statement | { queries: Statement[] } = JSON.parse(String(init?.body));
      statements.push(...("queries" in body ? body.queries : [body]));
    }
    return plain(input, init);
  };
  try {
    await work();
  } finally {
    globalThis.fetch = plain;
  }
  if (statements.length === 0) throw new Error("No statement was sent to the database.");
  return statements;
}

async function explainStatement(database: Database, { query, params }: Statement): Promise<Plan> {
  const [row] = await database.query<{ "QUERY PLAN": [{ Plan: Node }] }>(`explain (format json) ${query}`, params);
  if (!row) throw new Error(`No plan for ${query}`);
  const nodes = flattenPlan(row["QUERY PLAN"][0].Plan);
  return {
    scanned: nodes.flatMap((node) => (node["Node Type"] === "Seq Scan" ? (node["Relation Name"] ?? []) : [])),
    indexes: [...new Set(nodes.flatMap((node) => node["Index Name"] ?? []))],
    sorted: withoutSubplans(row["QUERY PLAN"][0].Plan).some((node) => node["Node Type"].endsWith("Sort")),
  };
}

function flattenPlan(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flattenPlan)];
}

/** Plan nodes without subplans that run once per row. */
function withoutSubplans(node: Node): Node[] {
  const plans = (node.Plans ?? []).filter((plan) => plan["Parent Relationship"] !== "SubPlan");
  return [node, ...plans.flatMap(withoutSubplans)];
}
