// The connection of the form with the host that shows it: JSON-RPC messages between windows, by MCP Apps revision 2026-01-26
// (https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx, read 2026-11-29). The package of the
// extension would be 540 KB; the form needs seven messages.

const REVISION = "2026-01-26";

type Params = Record<string, unknown>;

interface Message {
  jsonrpc: "2.0";
  id?: number | string;
  method?: string;
  params?: Params;
  result?: Params;
  error?: { message: string };
}

export interface HostContext {
  theme?: "light" | "dark";
  styles?: { variables?: Record<string, string | undefined> };
}

export interface ToolResult {
  structuredContent?: Params;
  content?: { type: string; text?: string }[];
  isError?: boolean;
}

/** Receives what the host tells. */
interface Listener {
  input(given: Params): void;
  result(result: ToolResult): void;
  context(context: HostContext): void;
}

export interface Host {
  /** The host passes calls of tools on to the server. */
  canCallTools: boolean;
  callTool(name: string, given: Params): Promise<ToolResult>;
  /** Resolves to false when the host does not take it. */
  tell(method: "ui/update-model-context" | "ui/message", params: Params): Promise<boolean>;
}

const waiting = new Map<number | string, { resolve(result: Params): void; reject(error: Error): void }>();
let nextId = 1;

// The origin of a host is not known, and nothing secret is sent: the host made the ticket.
const post = (message: object) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

function request(method: string, params: Params): Promise<Params> {
  const id = nextId++;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    post({ id, method, params });
  });
}

export async function connectHost(listener: Listener): Promise<Host> {
  window.addEventListener("message", ({ source, data }: MessageEvent<Message>) => {
    if (source === window.parent && data?.jsonrpc === "2.0") receive(data, listener);
  });
  const { hostCapabilities = {}, hostContext } = await request("ui/initialize", {
    protocolVersion: REVISION,
    appInfo: { name: "partner-api-upload", version: "1.0.0" },
    appCapabilities: { availableDisplayModes: ["inline"] },
  });
  if (hostContext) listener.context(hostContext);
  post({ method: "ui/notifications/initialized", params: {} });
  reportSize();
  return {
    canCallTools: "serverTools" in (hostCapabilities as Params),
    callTool: (name, given) => request("tools/call", { name, arguments: given }),
    tell: (method, params) =>
      request(method, params)
        .then(({ isError }) => isError !== true)
        .catch(() => false),
  };
}

function receive({ id, method, params = {}, result, error }: Message, listener: Listener): void {
  if (method === undefined && id !== undefined) {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error) reject?.(new Error(error.message));
    else resolve?.(result ?? {});
  } else if (method === "ui/notifications/tool-input") listener.input((params.arguments ?? {}) as Params);
  else if (method === "ui/notifications/tool-result") listener.result(params);
  else if (method === "ui/notifications/host-context-changed") listener.context(params);
  else if (method === "ping" || method === "ui/resource-teardown") post({ id, result: {} });
  else if (id !== undefined) post({ id, error: { code: -32_601, message: `${method} is not supported.` } });
}

function reportSize(): void {
  const { documentElement: root } = document;
  new ResizeObserver(() => {
    const params = { width: Math.ceil(root.scrollWidth), height: Math.ceil(root.getBoundingClientRect().height) };
    post({ method: "ui/notifications/size-changed", params });
  }).observe(root);
}
