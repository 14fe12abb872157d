// The interface of language models.

export interface ChatMessage {
  role: "system" | "user" | "assistant";
  content: string;
}

export interface ChatRequest {
  /** Name of the output schema: letters, digits and underscores. */
  name: string;
  messages: ChatMessage[];
  /** JSON Schema of the output. */
  schema: object;
}

/**
 * Returns the output text. Throws 502 `generation_failed` when the provider fails or does not respond in time. The
 * caller checks the text against the schema.
 */
export type ChatModel = (request: ChatRequest) => Promise<string>;
