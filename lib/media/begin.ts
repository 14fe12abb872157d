// The start of an upload: what is known of it before anything of it is anywhere.
import type { Call } from "../call.ts";

interface Asked {
  contentType: string;
  filename?: string | undefined;
}

export function newUpload({ key, ids, now }: Pick<Call, "key" | "ids" | "now">, asked: Asked, lastsMs: number) {
  const id = ids();
  return {
    id,
    objectKey: `${key.scope.id}/${id}`,
    contentType: asked.contentType,
    filename: asked.filename ?? `${id}.${asked.contentType.split("/")[1]}`,
    expiresAt: new Date(now.getTime() + lastsMs),
    createdAt: now,
  };
}
