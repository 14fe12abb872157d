// Calls operations of the API as the person who is signed in. Their types come from the OpenAPI document.
import type { Operations } from "../../../../.built/operations.d.ts";
import { CONNECTION_LOST, describePage } from "./failures.ts";

export type { Operations };
export type Body<Name extends keyof Operations> = Operations[Name]["body"];
export type Data<Name extends keyof Operations> = Operations[Name]["response"] extends { data: infer Value }
  ? Value
  : never;

/** An error with a code of the API; without one the request or the response was lost, or the person is signed out. */
export interface CallError extends Error {
  code?: string;
}

interface CallOptions<Name extends keyof Operations> {
  params?: Record<string, string>;
  body?: Body<Name>;
  query?: Record<string, string | number>;
  idempotencyKey?: string;
  /** The request goes on when the page is left; a browser permits it only for small bodies. */
  keepalive?: boolean;
}

export type Call = ReturnType<typeof createCaller>;

export function createCaller(base: string) {
  return async function call<Name extends keyof Operations>(
    operation: Name,
    { params = {}, body, query, idempotencyKey, keepalive = false }: CallOptions<Name> = {},
  ): Promise<Data<Name>> {
    const [method, path] = operation.split(" ") as [string, string];
    const url = `${base}${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))}`;
    const search = query
      ? `?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, `${value}`]))}`
      : "";
    const response = await fetch(`${url}${search}`, {
      method,
      headers: {
        "Content-Type": "application/json",
        ...(idempotencyKey ? { "Idempotency-Key": idempotencyKey } : {}),
      },
      // A page that is left sends what was to be deleted when its undo ends.
      keepalive: keepalive || method === "DELETE",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new Error(CONNECTION_LOST);
    });
    if (!response.headers.get("content-type")?.includes("json")) throw new Error(describePage(response));
    const { ok, data, message, error_code } = await response.json();
    if (!ok) throw Object.assign(new Error(message), { code: error_code });
    return data;
  };
}
