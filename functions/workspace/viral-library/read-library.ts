// Reads the viral library for a workspace, whose reads are few: 20 searches a minute, 200 a day. What a workspace has read is
// kept for an hour, so that opening a page again costs nothing. Posts change only by imports.
import type * as z from "zod";
import type { Endpoint } from "../../../lib/http/endpoint-spec.ts";
import type { ExecutionInput } from "../../../lib/http/execute.ts";
import type { ViralPage, ViralPost, ViralTranscript } from "../../../lib/schemas/viral.ts";
import { sha256Hex } from "../../../lib/shared/crypto.ts";
import { toApiError } from "../../../lib/shared/errors.ts";
import { formatError } from "../../../lib/shared/format-error.ts";
import getPost from "../../viral-library/get.ts";
import searchLibrary from "../../viral-library/search.ts";
import getTranscript from "../../viral-library/transcript.ts";
import { formatWait } from "../format.ts";
import type { PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { PageError } from "../session.ts";

export type LibraryPost = z.output<typeof ViralPost>;
export type LibraryPage = z.output<typeof ViralPage>;
export type Transcript = z.output<typeof ViralTranscript>;

const KEPT_SECONDS = 60 * 60;

/** A sentence in place of what could not be read now. */
export type Problem = { problem: string };

export const isProblem = (found: object): found is Problem => "problem" in found;

export function search(c: PageContext, query: Record<string, string>): Promise<LibraryPage | Problem> {
  return readOnce<LibraryPage>(c, searchLibrary, { query });
}

/** Throws 404 for a post that the library does not have. */
export async function readPost(c: PageContext, postId: string): Promise<LibraryPost | Problem> {
  try {
    return await readOnce<LibraryPost>(c, getPost, { params: { postId } });
  } catch (error) {
    throw toApiError(error)?.code === "not_found" ? new PageError(404, "The viral library has no such post.") : error;
  }
}

export async function readTranscript(c: PageContext, postId: string): Promise<Transcript | Problem> {
  try {
    return await readOnce<Transcript>(c, getTranscript, { params: { postId } });
  } catch (error) {
    if (toApiError(error)?.code !== "transcript_not_found") throw error;
    return { problem: "Nobody has written down what is said in this post." };
  }
}

async function readOnce<Data extends object>(
  c: PageContext,
  endpoint: Endpoint,
  input: ExecutionInput,
): Promise<Data | Problem> {
  const { services, workspace } = c.var;
  const name = `library-page:${workspace.id}:${endpoint.spec.route}:${sha256Hex(JSON.stringify(input))}`;
  const kept = await services.redis.get<Data>(name).catch(() => null);
  if (kept) return kept;
  try {
    const found = await runOperation<Data>(c, endpoint, input);
    const keeping = services.redis.set(name, found, { ex: KEPT_SECONDS });
    c.executionCtx.waitUntil(keeping.catch((error) => services.log({ level: "error", error: formatError(error) })));
    return found;
  } catch (error) {
    const known = toApiError(error);
    const wait = formatWait(known?.extra.retry_after_seconds);
    if (known?.code === "rate_limited")
      return { problem: `This workspace has read as much of the library as it may for now. Try again ${wait}.` };
    if (known?.code === "invalid_query") return { problem: "These results are not kept any more. Search again." };
    if (known?.code === "provider_unavailable")
      return { problem: `The library cannot be searched right now. Try again ${wait}.` };
    throw error;
  }
}
