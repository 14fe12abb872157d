// The page of a host of MCP Apps, by the official package: shows a form in a frame and passes its calls on. The test reads what it
// received, and calls the server.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

type Result = Parameters<AppBridge["sendToolResult"]>[0];

declare global {
  interface Window {
    /** Exposed by the test: calls a tool of the server. */
    callTool(name: string, given: object): Promise<Result>;
    /** Exposed by the test: keeps what the form told. */
    keep(kind: string, params: object): Promise<void>;
    showForm(given: Record<string, unknown>, result: Result): Promise<void>;
  }
}

const INFO = { name: "test-host", version: "1.0.0" };
const CAPABILITIES = { serverTools: {}, message: {}, updateModelContext: {} };

window.showForm = async (given, result) => {
  const frame = document.createElement("iframe");
  // Without allow-same-origin: an opaque origin, the strictest that a host may choose.
  frame.sandbox.add("allow-scripts");
  document.body.replaceChildren(frame);
  const view = frame.contentWindow;
  if (!view) throw new Error("no frame");
  const bridge = new AppBridge(null, INFO, CAPABILITIES, { hostContext: { theme: "dark" } });
  bridge.oncalltool = ({ name, arguments: sent = {} }) => window.callTool(name, sent);
  bridge.onmessage = async (params) => {
    await window.keep("message", params);
    return {};
  };
  bridge.onupdatemodelcontext = async (params) => {
    await window.keep("context", params);
    return {};
  };
  bridge.onsizechange = ({ height = 0 }) => {
    frame.style.height = `${height}px`;
  };
  const initialized = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  await bridge.connect(new PostMessageTransport(view, view));
  frame.src = "/view";
  await initialized;
  await bridge.sendToolInput({ arguments: given });
  await bridge.sendToolResult(result);
};
