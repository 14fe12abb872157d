// The tools, prompts and resources that the conformance suite of the protocol prescribes. They are no part of the service: a server
// of tests has them, over the handler of functions/mcp. After test/conformance of modelcontextprotocol/typescript-sdk (MIT).
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
const states = createRequestStateCodec<Record<string, unknown>>({ key: crypto.getRandomValues(new Uint8Array(32)) });

type Responses = Parameters<typeof acceptedContent>[0];
type Result = Awaited<ReturnType<Parameters<McpServer["registerTool"]>[2]>>;
type Notifier = { toolsChanged(): void; promptsChanged(): void };

const text = (value: string) => ({ type: "text" as const, text: value });
const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const resource = (uri: string, mimeType = "text/plain", content = "An embedded resource.") => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: content },
});
const CONTENTS = {
  test_simple_text: [text("This is a simple text response for testing.")],
  test_image_content: [image],
  test_audio_content: [{ type: "audio" as const, data: WAV, mimeType: "audio/wav" }],
  test_embedded_resource: [resource("test://embedded-resource")],
  test_multiple_content_types: [
    text("Multiple content types test:"),
    image,
    resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  ],
  test_streaming_elicitation: [text("one result")],
};

const elicit = (message: string, name: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object",
      properties: { [name]: name === "ok" ? { type: "boolean" } : { type: "string" } },
      required: [name],
    },
  });
const sample = (question: string) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: text(question) }], maxTokens: 50 });
const require = (inputRequests: InputRequests, requestState?: string) =>
  inputRequired({ inputRequests, ...(requestState ? { requestState } : {}) });
const getText = (responses: Responses, key: string, field: string) =>
  acceptedContent<Record<string, string>>(responses, key)?.[field];
const mint = (state: Record<string, unknown>) => states.mint({ ...state, nonce: crypto.randomUUID() });

/** Each asks the caller for something until the request brings it. */
const ASKING: Record<string, (context: ServerContext) => Promise<Result>> = {
  async test_missing_capability({ mcpReq }) {
    if (!mcpReq.inputResponses?.llm_answer) return require({ llm_answer: sample("Reply: pong") });
    return { content: [text("done")] };
  },
  async test_input_required_result_elicitation({ mcpReq }) {
    const name = getText(mcpReq.inputResponses, "user_name", "name");
    if (typeof name !== "string") return require({ user_name: elicit("What is your name?", "name") });
    return { content: [text(`Hello, ${name}!`)] };
  },
  async test_input_required_result_sampling({ mcpReq }) {
    const answer = mcpReq.inputResponses?.capital_question;
    if (!answer) return require({ capital_question: sample("What is the capital of France?") });
    return { content: [text(`Sampling response: ${JSON.stringify(answer)}`)] };
  },
  async test_input_required_result_list_roots({ mcpReq }) {
    const roots = mcpReq.inputResponses?.client_roots;
    if (!roots) return require({ client_roots: inputRequired.listRoots() });
    return { content: [text(JSON.stringify(roots))] };
  },
  async test_input_required_result_request_state({ mcpReq }) {
    const confirmed = acceptedContent(mcpReq.inputResponses, "confirm");
    if (!confirmed) return require({ confirm: elicit("Please confirm", "ok") }, await mint({ step: 1 }));
    return { content: [text("state-ok")] };
  },
  async test_input_required_result_multiple_inputs({ mcpReq }) {
    const { user_name: name, greeting, client_roots: roots } = mcpReq.inputResponses ?? {};
    if (name && greeting && roots) return { content: [text("all inputs received")] };
    const asked = {
      user_name: elicit("What is your name?", "name"),
      greeting: sample("Generate a greeting"),
      client_roots: inputRequired.listRoots(),
    };
    return require(asked, await mint({ step: 1 }));
  },
  async test_input_required_result_multi_round({ mcpReq }) {
    const round = Number(mcpReq.requestState<Record<string, unknown>>()?.round ?? 0);
    if (round === 0) return require({ step1: elicit("What is your name?", "name") }, await mint({ round: 1 }));
    if (round === 1) return require({ step2: elicit("Which color?", "color") }, await mint({ round: 2 }));
    return { content: [text("Multi-round complete")] };
  },
  async test_input_required_result_tampered_state({ mcpReq }) {
    const confirmed = mcpReq.requestState() && acceptedContent(mcpReq.inputResponses, "confirm");
    if (!confirmed) return require({ confirm: elicit("Please confirm", "ok") }, await mint({ step: 1 }));
    return { content: [text("integrity-ok")] };
  },
  async test_input_required_result_capabilities({ mcpReq }) {
    const declared = (mcpReq.envelope as Record<string, Record<string, unknown>> | undefined)?.[
      CLIENT_CAPABILITIES_META_KEY
    ];
    const asked = {
      ...(declared?.elicitation ? { user_name: elicit("What is your name?", "name") } : {}),
      ...(declared?.sampling ? { greeting: sample("Generate a greeting") } : {}),
      ...(declared?.roots ? { client_roots: inputRequired.listRoots() } : {}),
    };
    if (mcpReq.inputResponses || Object.keys(asked).length === 0) return { content: [text("done")] };
    return require(asked);
  },
};

export function createConformanceServer(notifier: () => Notifier): McpServer {
  const server = new McpServer(
    { name: "conformance", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: states.verify },
    },
  );
  const inputSchema = z.object({});
  for (const [name, content] of Object.entries(CONTENTS)) {
    server.registerTool(name, { description: name }, async () => ({ content }));
  }
  for (const [name, handle] of Object.entries(ASKING)) {
    server.registerTool(name, { description: name, inputSchema }, async (_given, context) => handle(context));
  }
  addNotifyingTools(server, notifier);
  addPrompts(server);
  addResources(server);
  server.server.setRequestHandler("completion/complete", async () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  return server;
}

function addNotifyingTools(server: McpServer, notifier: () => Notifier): void {
  const inputSchema = z.object({});
  server.registerTool("test_error_handling", { description: "Fails" }, async () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  server.registerTool("test_logging_tool", { description: "Logs", inputSchema }, async (_given, { mcpReq }) => {
    await mcpReq.log("info", "ran");
    return { content: [text("logged")] };
  });
  server.registerTool("test_tool_with_logging", { description: "Logs", inputSchema }, async (_given, { mcpReq }) => {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await mcpReq.notify({ method: "notifications/message", params: { level: "info", data } });
    }
    return { content: [text("Tool with logging executed successfully")] };
  });
  server.registerTool(
    "test_tool_with_progress",
    { description: "Progress", inputSchema },
    async (_given, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        const params = {
          progressToken: progressToken ?? "",
          progress,
          total: 100,
          message: `Completed step ${progress}`,
        };
        await mcpReq.notify({ method: "notifications/progress", params });
      }
      return { content: [text(String(progressToken))] };
    },
  );
  server.registerTool("test_trigger_tool_change", { description: "Notifies", inputSchema }, async () => {
    notifier().toolsChanged();
    return { content: [text("published")] };
  });
  server.registerTool("test_trigger_prompt_change", { description: "Notifies", inputSchema }, async () => {
    notifier().promptsChanged();
    return { content: [text("published")] };
  });
}

function addPrompts(server: McpServer): void {
  const say = (content: ReturnType<typeof text> | typeof image | ReturnType<typeof resource>) => ({
    messages: [{ role: "user" as const, content }],
  });
  server.registerPrompt("test_simple_prompt", { description: "Simple" }, async () =>
    say(text("This is a simple prompt for testing.")),
  );
  const twoArguments = z.object({ arg1: z.string(), arg2: z.string() });
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "Arguments", argsSchema: twoArguments },
    async ({ arg1, arg2 }) => say(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  const uri = z.object({ resourceUri: z.string() });
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "Resource", argsSchema: uri },
    async ({ resourceUri }) => {
      const { messages } = say(resource(resourceUri));
      return { messages: [...messages, ...say(text("Please process the embedded resource above.")).messages] };
    },
  );
  server.registerPrompt("test_prompt_with_image", { description: "Image" }, async () => say(image));
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks" }, async (context) => {
    const { mcpReq } = context as unknown as ServerContext;
    const given = getText(mcpReq.inputResponses, "user_context", "context");
    if (typeof given !== "string") return require({ user_context: elicit("Which context?", "context") });
    return say(text(`Use the following context: ${given}`));
  });
}

function addResources(server: McpServer): void {
  const add = (uri: string, mimeType: string, content: { text: string } | { blob: string }) =>
    server.registerResource(uri, uri, { mimeType }, async () => ({ contents: [{ uri, mimeType, ...content }] }));
  add("test://static-text", "text/plain", { text: "This is the content of the static text resource." });
  add("test://static-binary", "image/png", { blob: PNG });
  add("test://watched-resource", "text/plain", { text: "Watched resource content" });
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource("template", template, { mimeType: "application/json" }, async (uri, { id }) => {
    const content = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri: uri.href, mimeType: "application/json", text: content }] };
  });
  for (const method of ["resources/subscribe", "resources/unsubscribe"] as const) {
    server.server.setRequestHandler(method, async () => ({}));
  }
}
