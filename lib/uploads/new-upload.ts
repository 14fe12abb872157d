// Builds the record of a new upload, before anything is stored.
import type { RequestContext } from "../services/context.ts";
import { type DeclaredType, UNKNOWN_TYPE } from "../shared/media-types.ts";

interface UploadRequest {
  declaredType: DeclaredType;
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
    contentType: request.declaredType,
    filename: request.filename ?? nameUpload(id, request.declaredType),
    expiresAt: new Date(now.getTime() + lifetimeMs),
    createdAt: now,
  };
}

/** The name of an upload that was given none; without an ending as long as its type is not known. */
export function nameUpload(id: string, contentType: DeclaredType): string {
  return contentType === UNKNOWN_TYPE ? id : `${id}.${contentType.split("/")[1]}`;
}
