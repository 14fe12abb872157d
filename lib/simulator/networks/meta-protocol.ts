// The Graph API format shared by the networks of Meta: error envelopes, missing objects, versioned paths.
import { createTraceId } from "./context.ts";
import type { AccountAnswer } from "./endpoints.ts";
import type { NetworkRequest, NetworkResponse } from "./network.ts";

export function graphError(status: number, code: number, subcode: number | null, message: string, more?: object) {
  const response: NetworkResponse = {
    status,
    body: {
      error: {
        message,
        type: "OAuthException",
        code,
        ...(subcode === null ? {} : { error_subcode: subcode }),
        is_transient: code === 1 || code === 2,
        fbtrace_id: createTraceId("A"),
        ...more,
      },
    },
  };
  return response;
}

export function missingObjectError(id: string, method: string): NetworkResponse {
  const verb = method.toLowerCase();
  const message = `Unsupported ${verb} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`;
  return graphError(400, 100, 33, message);
}

/** The route of an object, `/v24.0/17841`; its edges follow. */
export const NODE = "/:version{v[0-9]+[.][0-9]+}/:id";

/** A container and the post that it became have one route: their fields tell the requests apart. */
export const asksForStatus = ({ query }: NetworkRequest): boolean => /status/.test(query.get("fields") ?? "");

/** Answers for an edge that only the account itself has. */
export function ofAccount(answer: AccountAnswer, buildError = missingObjectError): AccountAnswer {
  return (account, request, params) =>
    params.id === account.externalId ? answer(account, request, params) : buildError(params.id ?? "", request.method);
}

const toCursor = (id: string) => Buffer.from(`after ${id}`).toString("base64url");

/** A page of a list by opaque cursors; without `paging` when it is empty. */
export function selectPage<Item extends { id: string }>(items: Item[], { query, baseUrl, path }: NetworkRequest) {
  const limit = Math.min(Number(query.get("limit") ?? 25), 100);
  const after = query.get("after");
  const start = after === null ? 0 : items.findIndex(({ id }) => toCursor(id) === after) + 1;
  const page = items.slice(start, start + limit);
  const [first, last] = [page[0], page.at(-1)];
  if (!first || !last) return { page };
  const next = start + page.length < items.length ? { next: `${baseUrl}${path}?after=more` } : {};
  return { page, paging: { cursors: { before: toCursor(first.id), after: toCursor(last.id) }, ...next } };
}

/** The Graph API formats times in UTC, to the second, with an offset. */
export function formatGraphTime(iso: string): string {
  return iso.replace(/\.\d{3}Z$/, "+0000");
}
