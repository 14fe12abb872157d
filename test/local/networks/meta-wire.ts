// The wire shape of Meta's Graph API that its stand-ins share: error envelopes, missing objects, versioned paths.
import { type Answer, nextId } from "./network.ts";

export function graphFault(status: number, code: number, subcode: number | null, message: string, more?: object) {
  const answer: Answer = {
    status,
    body: {
      error: {
        message,
        type: "OAuthException",
        code,
        ...(subcode === null ? {} : { error_subcode: subcode }),
        is_transient: code === 1 || code === 2,
        fbtrace_id: nextId("A"),
        ...more,
      },
    },
  };
  return answer;
}

export function missingObject(id: string, method: string): Answer {
  const verb = method.toLowerCase();
  const message = `Unsupported ${verb} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`;
  return graphFault(400, 100, 33, message);
}

/** Object id and edge of `/v1.0/17841/threads`; null for anything else. */
export function nodeOf(path: string): { id: string; edge: string | null } | null {
  const [, id, edge] = /^\/v\d+\.\d+\/(\w+)(?:\/(\w+))?$/.exec(path) ?? [];
  return id ? { id, edge: edge ?? null } : null;
}

/** Graph prints times in UTC to the second, with an offset. */
export function graphTime(iso: string): string {
  return iso.replace(/\.\d{3}Z$/, "+0000");
}
