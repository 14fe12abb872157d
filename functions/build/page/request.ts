// One request of the reference page as a command for a shell and as code. $API is the base URL, $KEY the key.

export interface SampleRequest {
  method: string;
  /** Without the base URL; `{postId}` stands for an id. */
  path: string;
  query?: Record<string, string>;
  idempotent: boolean;
  /** Undefined without a body. */
  body: unknown;
}

export interface Sample {
  language: string;
  code: string;
}

/** The page shows the first until a reader chooses another. */
export function writeSamples(request: SampleRequest): Sample[] {
  // Encoded as in a form, a query has no character that is special within double quotes in any of the languages.
  const search = new URLSearchParams(request.query).toString();
  const path = request.path.replaceAll(/\{(\w+)\}/g, "<$1>");
  const named = { ...request, path: search ? `${path}?${search}` : path };
  return [
    { language: "Shell", code: writeShell(named) },
    { language: "TypeScript", code: writeTypeScript(named) },
    { language: "Python", code: writePython(named) },
  ];
}

function writeShell({ method, path, idempotent, body }: SampleRequest): string {
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}"$API${path}"`,
    '-H "Authorization: Bearer $KEY"',
    ...(idempotent ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`]),
  ].join(" \\\n  ");
}

function writeTypeScript({ method, path, idempotent, body }: SampleRequest): string {
  const headers = [
    `Authorization: \`Bearer \${process.env.KEY}\``,
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
    ...(idempotent ? ['"Idempotency-Key": crypto.randomUUID()'] : []),
  ];
  return [
    `const response = await fetch(process.env.API + "${path}", {`,
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    "  headers: {",
    ...headers.map((header) => `    ${header},`),
    "  },",
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indent(JSON.stringify(body, null, 2))}),`]),
    "});",
    "const answer = await response.json();",
    `if (!answer.ok) throw new Error(\`\${answer.error_code}: \${answer.message}\`);`,
    "console.log(answer.data);",
  ].join("\n");
}

/** With the library that most programs use, https://pypi.org/project/requests. */
function writePython({ method, path, idempotent, body }: SampleRequest): string {
  return [
    "import os",
    ...(idempotent ? ["import uuid"] : []),
    "import requests",
    "",
    `answer = requests.${method.toLowerCase()}(`,
    `    os.environ["API"] + "${path}",`,
    "    headers={",
    `        "Authorization": f"Bearer {os.environ['KEY']}",`,
    ...(idempotent ? ['        "Idempotency-Key": str(uuid.uuid4()),'] : []),
    "    },",
    ...(body === undefined ? [] : [`    json=${indent(indent(toPython(body)))},`]),
    ").json()",
    'if not answer["ok"]:',
    `    raise RuntimeError(f"{answer['error_code']}: {answer['message']}")`,
    'print(answer["data"])',
  ].join("\n");
}

/** All lines but the first. */
function indent(code: string): string {
  return code.replaceAll("\n", "\n  ");
}

/** JSON as Python writes it: the same but for three names. */
function toPython(value: unknown, depth = 0): string {
  const inner = `\n${"  ".repeat(depth + 1)}`;
  const end = `\n${"  ".repeat(depth)}`;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Array.isArray(value)
    ? value.map((entry) => toPython(entry, depth + 1))
    : Object.entries(value).map(([name, entry]) => `${JSON.stringify(name)}: ${toPython(entry, depth + 1)}`);
  return parts.length === 0 ? `${open}${close}` : `${open}${inner}${parts.join(`,${inner}`)}${end}${close}`;
}
