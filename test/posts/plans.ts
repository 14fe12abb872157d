// Reads how Postgres means to run the statements that the service sends: they are heard on the wire, then explained.
import type { Database } from "../local/database.ts";

interface Statement {
  query: string;
  params: unknown[];
}

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Plan Rows": number;
  "Parent Relationship"?: string;
  Plans?: Node[];
}

export interface Plan {
  /** Tables read from end to end. */
  scanned: string[];
  indexes: string[];
  /** Rows are put in order after they were read; what an expression of a single row sorts does not count. */
  sorted: boolean;
  /** The most rows that one of its steps is thought to bring. */
  mostRows: number;
}

/** Runs the work and answers with the plan of every statement that it sent to this database, in their order. */
export async function plansOf(database: Database, work: () => Promise<unknown>): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (const statement of await heard(database, work)) {
    // A setting of the transaction holds for the statements behind it.
    if (SETTING.test(statement.query)) await database.query(statement.query.replace(SETTING, "set "));
    else plans.push(await explain(database, statement));
  }
  await database.query("reset all");
  return plans;
}

const SETTING = /^set local /;

async function heard({ fetchUrl }: Database, work: () => Promise<unknown>): Promise<Statement[]> {
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
  if (statements.length === 0) throw new Error("Nothing was asked of the database.");
  return statements;
}

async function explain(database: Database, { query, params }: Statement): Promise<Plan> {
  const [row] = await database.query<{ "QUERY PLAN": [{ Plan: Node }] }>(`explain (format json) ${query}`, params);
  if (!row) throw new Error(`No plan for ${query}`);
  const nodes = flat(row["QUERY PLAN"][0].Plan);
  return {
    scanned: nodes.flatMap((node) => (node["Node Type"] === "Seq Scan" ? (node["Relation Name"] ?? []) : [])),
    indexes: [...new Set(nodes.flatMap((node) => node["Index Name"] ?? []))],
    sorted: outside(row["QUERY PLAN"][0].Plan).some((node) => node["Node Type"].endsWith("Sort")),
    mostRows: Math.max(...nodes.map((node) => node["Plan Rows"])),
  };
}

function flat(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flat)];
}

/** Without the subplans that run once per row. */
function outside(node: Node): Node[] {
  const plans = (node.Plans ?? []).filter((plan) => plan["Parent Relationship"] !== "SubPlan");
  return [node, ...plans.flatMap(outside)];
}
