// Builds the record of a new upload, before anything is stored.
import type { RequestContext } from "../services/context.ts";

interface UploadRequest {
  contentType: string;
  filename?: string | undefined;
}

export function buildUpload(
  { key, ids, now }: Pick<RequestContext, "key" | "ids" | "now">,
  request: UploadRequest,
  lifetimeMs: number,
) {
  const id = ids();
  return {
    id,
    objectKey: `${key.scope.id}/${id}`,
    contentType: request.contentType,
    filename: request.filename ?? `${id}.${request.contentType.split("/")[1]}`,
    expiresAt: new Date(now.getTime() + lifetimeMs),
    createdAt: now,
  };
}
