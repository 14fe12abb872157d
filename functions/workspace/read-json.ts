// Reads JSON that a page's script sent. Its size is limited before, by limitForm.
import { findJsonErrors, limitJson } from "../../lib/shared/json-limits.ts";
import type { PageContext } from "./page.ts";
import { PageError } from "./session.ts";

const LIMITS = { maxValues: 200, maxItemsPerList: 50 };

/** Throws 400 for text that is not JSON, is nested too deep, has too many values, or holds what Postgres cannot store. */
export async function readJson(c: PageContext): Promise<unknown> {
  const limited = limitJson(new Uint8Array(await c.req.arrayBuffer()), LIMITS);
  if ("error" in limited) throw new PageError(400, `The JSON is not valid. ${limited.error.message}`);
  const value = parse(new TextDecoder().decode(limited.bytes));
  const [error] = findJsonErrors(value, LIMITS);
  if (error) throw new PageError(400, `The JSON is not valid. ${error.path || "It"}: ${error.message}`);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PageError(400, "Send JSON with the fields of the form.");
  }
}
