// A form in the conversation, for hosts that cannot send a PUT: a person picks a file, which goes to the URL of the ticket.
import { connectHost, type HostContext, type ToolResult } from "./host.ts";

interface Ticket {
  id: string;
  uploadUrl: string;
  headers: Record<string, string>;
  contentType: string;
  expiresIn: number;
}

interface UploadedFile {
  id: string;
  url: string;
}

/** Above it a ticket needs the size, as `create_upload` says. */
const UNSIZED_BYTES = 100 * 1024 * 1024;
/** The upload must begin while the ticket is valid. */
const SPARE_MS = 30_000;

const find = <Found extends HTMLElement>(id: string) => document.getElementById(id) as Found;
const input = find<HTMLInputElement>("file");
const picker = find<HTMLLabelElement>("picker");
const progress = find<HTMLProgressElement>("progress");
const status = find("status");

let ticket: Ticket | null = null;
let validUntil = 0;
/** The size that the ticket was made for. */
let ticketSize: number | null = null;

const connecting = connectHost({
  input: ({ size, bytes }) => {
    ticketSize = Number(size ?? bytes ?? 0) || null;
  },
  result: (result) => void receiveTicket(result),
  context: applyContext,
});
connecting.catch(() => undefined);

input.addEventListener("change", () => void start(input.files?.[0]));
picker.addEventListener("dragover", (event) => event.preventDefault());
picker.addEventListener("drop", (event) => {
  event.preventDefault();
  void start(event.dataTransfer?.files[0]);
});

function applyContext({ theme, styles }: HostContext): void {
  const { style } = document.documentElement;
  if (theme) style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith("--") && value !== undefined) style.setProperty(name, value);
  }
}

function receiveTicket(result: ToolResult): void {
  if (result.isError) {
    showProblem(readMessage(result));
  } else {
    takeTicket(readData(result) as unknown as Ticket);
    input.disabled = false;
    show("Ready.");
  }
}

function takeTicket(made: Ticket): void {
  ticket = made;
  validUntil = Date.now() + made.expiresIn * 1000 - SPARE_MS;
}

async function start(file: File | undefined): Promise<void> {
  if (!file || input.disabled) return;
  input.disabled = true;
  try {
    const host = await connecting;
    if (!fits(file)) {
      if (!host.canCallTools)
        throw new Error(`The ticket is for ${ticket?.contentType}. Ask for one for ${file.type}, ${file.size} bytes.`);
      const given = { contentType: file.type, size: file.size, filename: file.name.slice(-255) };
      takeTicket(readData(await host.callTool("create_upload", given)) as unknown as Ticket);
      ticketSize = file.size;
    }
    const used = ticket;
    if (!used) return;
    await put(used, file);
    progress.hidden = true;
    if (!host.canCallTools) {
      await report(`${file.name} is uploaded. Call complete_upload with file_id ${used.id}.`, { file_id: used.id });
      return show(`${file.name} is uploaded.`);
    }
    show("Checking the file");
    const checked = readData(await host.callTool("complete_upload", { file_id: used.id }));
    const { url } = checked.file as UploadedFile;
    picker.hidden = true;
    await report(`${file.name} is uploaded and verified. Use ${url} as url in media.`, checked);
    show(`${file.name} is uploaded.`);
  } catch (error) {
    progress.hidden = true;
    showProblem(error instanceof Error ? error.message : String(error));
    input.disabled = false;
    input.value = "";
  }
}

/** Also for other files of the same type: a size that was promised is a part of the signed URL. */
function fits({ type, size }: File): boolean {
  if (ticket === null || ticket.contentType !== type || Date.now() > validUntil) return false;
  return ticketSize === null ? size <= UNSIZED_BYTES : ticketSize === size;
}

/** `fetch` tells no progress of an upload. */
function put({ uploadUrl, headers }: Ticket, file: File): Promise<void> {
  progress.value = 0;
  progress.hidden = false;
  show(`Uploading ${file.name}`);
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("PUT", uploadUrl);
    for (const [name, value] of Object.entries(headers)) sending.setRequestHeader(name, value);
    sending.upload.addEventListener("progress", ({ loaded, total }) => {
      progress.value = (100 * loaded) / total;
    });
    sending.addEventListener("load", () => {
      if (sending.status === 200) resolve();
      else reject(new Error(`The storage refused the file (${sending.status}). Ask for a new ticket.`));
    });
    sending.addEventListener("error", () => reject(new Error("The connection broke. Choose the file again.")));
    sending.send(file);
  });
}

/** The model reads the first in its next turn; the second is a message of the person, which some hosts ask about. */
async function report(text: string, structuredContent: Record<string, unknown>): Promise<void> {
  const { tell } = await connecting;
  const content = { type: "text", text };
  await tell("ui/update-model-context", { content: [content], structuredContent });
  await tell("ui/message", { role: "user", content: [content] });
}

function readData(result: ToolResult): Record<string, unknown> {
  if (result.isError) throw new Error(readMessage(result));
  return result.structuredContent ?? JSON.parse(result.content?.[0]?.text ?? "{}");
}

/** Of the envelope of an error. */
function readMessage({ content }: ToolResult): string {
  const text = content?.[0]?.text ?? "";
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text;
  }
}

function show(text: string): void {
  status.className = "";
  status.textContent = text;
}

function showProblem(text: string): void {
  status.className = "problem";
  status.textContent = text;
}
