// A client without a language model: it knows no tool, and picks one by the words of a task in titles and descriptions. Arguments come
// from what the user said, and from results of former calls, to which descriptions lead by the names of tools.
import type { CallToolResult, Client, Tool } from "@modelcontextprotocol/client";

type Json = Record<string, unknown>;

/** A request of a person. `words` say what to do; the rest is what a form would ask for, under the name that a person gives it. */
export interface Request {
  words: string;
  /** Values by the name of an argument. */
  values?: Json;
  /** Words of something that exists already, such as the text of a post. */
  which?: string;
  /** A file of this machine. */
  file?: { contentType: string; bytes: Uint8Array };
  /** The address of a file. */
  address?: string;
}

export interface Outcome {
  calls: string[];
  result: Json;
}

const STOP_WORDS = new Set(
  "a an and are as at be by do for from in is it its me my now of on or that the their then this to what which with".split(
    " ",
  ),
);

const stem = (word: string) =>
  word.replace(/(ies|ing|ed|es|s)$/, (end) => (end === "ies" ? "y" : "")).replace(/e$/, "");
const listWords = (text: string) =>
  (text.toLowerCase().match(/[a-z]+/g) ?? []).filter((word) => !STOP_WORDS.has(word)).map(stem);

const asList = (value: unknown): Json[] => (Array.isArray(value) ? value : []);

export class Planner {
  readonly #tools: Tool[];
  readonly #client: Client;
  #calls: string[] = [];
  #results: Json[] = [];

  constructor(client: Client, tools: Tool[]) {
    this.#client = client;
    this.#tools = tools;
  }

  async solve(request: Request): Promise<Outcome> {
    this.#calls = [];
    this.#results = [];
    const result = await this.#run(this.#pick(request.words, this.#tools), request);
    return { calls: this.#calls, result };
  }

  /** The tool with the rarest of the words; a word of the title counts three times. */
  #pick(text: string, tools: Tool[]): Tool {
    const documents = this.#tools.map(({ title, description }) => new Set(listWords(`${title} ${description}`)));
    const rarity = (word: string) =>
      Math.log(1 + this.#tools.length / (1 + documents.filter((one) => one.has(word)).length));
    const wanted = new Set(listWords(text));
    const score = ({ title = "", description = "" }: Tool) => {
      const [inTitle, inText] = [new Set(listWords(title)), new Set(listWords(description))];
      return [...wanted].reduce(
        (sum, word) => sum + rarity(word) * ((inTitle.has(word) ? 3 : 0) + (inText.has(word) ? 1 : 0)),
        0,
      );
    };
    return tools.toSorted((a, b) => score(b) - score(a))[0] as Tool;
  }

  async #run(tool: Tool, request: Request): Promise<Json> {
    const given: Json = {};
    const required = tool.inputSchema.required ?? [];
    for (const [name, schema] of Object.entries(tool.inputSchema.properties ?? {})) {
      const value = await this.#fill(tool, name, schema as Json, required.includes(name), request);
      if (value !== undefined) given[name] = value;
    }
    const { isError, content, structuredContent } = (await this.#client.callTool({
      name: tool.name,
      arguments: given,
    })) as CallToolResult;
    this.#calls.push(tool.name);
    if (isError) throw new Error(`${tool.name} ${JSON.stringify(given)}: ${JSON.stringify(content)}`);
    const result = structuredContent as Json;
    this.#results.push(result);
    await this.#send(result, request);
    return result;
  }

  /** A result that asks for bytes: its own words say which method, address and headers. */
  async #send({ uploadUrl, method, headers }: Json, { file }: Request): Promise<void> {
    if (typeof uploadUrl !== "string" || !file) return;
    const init = {
      method: String(method),
      headers: headers as Record<string, string>,
      body: new Uint8Array(file.bytes),
    };
    const sent = await fetch(uploadUrl, init);
    if (!sent.ok) throw new Error(`PUT: ${sent.status}`);
  }

  async #fill(tool: Tool, name: string, schema: Json, isRequired: boolean, request: Request): Promise<unknown> {
    const { values = {}, file, address } = request;
    const description = String(schema.description ?? "");
    if (name in values) return values[name];
    if (name === "media" && (file || address)) return this.#makeMedia(request);
    if (file && name === "contentType") return file.contentType;
    if (file && name === "size") return file.bytes.length;
    if (address && name === "url") return address;
    // An argument that the description of the tool names, and that a former result has.
    const known = this.#results.findLast((result) => name in result)?.[name];
    if (known !== undefined && tool.description?.includes(name)) return known;
    if (!isRequired) return undefined;
    if (schema.type === "array") return [{ id: await this.#findId(tool, name, description, request) }];
    if (name.endsWith("_id")) return this.#findId(tool, name.slice(0, -3), description, request);
    throw new Error(`Nothing is known for ${name} of ${tool.name}: ${description}`);
  }

  /** Of a noun, by a tool that the description of the argument names; one that lists when the thing exists already. */
  async #findId(tool: Tool, noun: string, description: string, request: Request): Promise<unknown> {
    const named = this.#tools.filter((one) => one.name !== tool.name && description.includes(one.name));
    const lists = named.filter((one) => getOutputs(one)[toPlural(noun)]?.type === "array");
    const makes = named.filter((one) => !lists.includes(one));
    const [source] = request.which !== undefined || makes.length === 0 ? lists : makes;
    if (!source) throw new Error(`No tool is named for ${noun} of ${tool.name}: ${description}`);
    const result = await this.#run(source, request);
    if (!lists.includes(source)) return result.id;
    return this.#choose(asList(result[toPlural(noun)]), `${request.words} ${request.which ?? ""}`).id;
  }

  /** The entry with most of the words. */
  #choose(entries: Json[], text: string): Json {
    const wanted = new Set(listWords(text));
    const score = (entry: Json) =>
      [...new Set(listWords(JSON.stringify(entry)))].filter((word) => wanted.has(word)).length;
    const [best] = entries.toSorted((a, b) => score(b) - score(a));
    if (!best) throw new Error(`Nothing of a list fits ${text}`);
    return best;
  }

  /** Among the tools that result in a file, one whose arguments are known. */
  async #makeMedia(request: Request): Promise<Json> {
    const makesFile = this.#tools.filter((tool) => "file" in getOutputs(tool));
    const takesAddress = ({ inputSchema }: Tool) => "url" in (inputSchema.properties ?? {});
    const fitting = makesFile.filter((tool) => takesAddress(tool) === (request.address !== undefined));
    const { file } = await this.#run(this.#pick(request.words, fitting), request);
    const { url, contentType } = file as { url: string; contentType: string };
    return contentType.startsWith("video/") ? { type: "video", url } : { type: "slideshow", urls: [url] };
  }
}

const toPlural = (noun: string) => (noun.endsWith("s") ? noun : `${noun}s`);

const getOutputs = ({ outputSchema }: Tool) => (outputSchema?.properties ?? {}) as Record<string, { type?: string }>;
