// Reads the bodies that browsers send: the size is checked first, and a body is parsed once, before the session is read.
import type { MiddlewareHandler } from "hono";
import * as z from "zod";
import { limitForm, readForm } from "../../lib/http/page.ts";
import { findJsonErrors, limitJson } from "../../lib/shared/json-limits.ts";
import type { PageContext, WorkspaceEnv } from "./page.ts";
import { PageError } from "./session.ts";

/** Operations of the API have limits of their own, and read nothing before they know the person. */
const OPERATION_PATH = /^\/dashboard\/[^/]+\/api\//;

export const limitRequest: MiddlewareHandler<WorkspaceEnv> = async (c, next) => {
  // The database stores no NUL, and no id, name or text of a page has one.
  if (/%00/.test(c.req.url)) throw new PageError(404, "There is no such page. Check that the address is complete.");
  if (OPERATION_PATH.test(c.req.path)) return next();
  return limitForm(c, () => readForm(c, next));
};

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

/** Of checkboxes: a form sends one value as it is, several as a list, and none not at all. */
export function toList<Item>(item: z.ZodType<Item>) {
  return z.union([z.array(item), item.transform((one) => [one])]).default([]);
}
