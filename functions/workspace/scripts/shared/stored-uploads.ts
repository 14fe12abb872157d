// This tab stores which parts of an upload are sent, so that the file goes on from there after a
// reload. It is apart from the uploader, which is large and needed only with a file.
import type { Data } from "./api.ts";

type StartedUpload = Data<"POST /files/multipart">;

export interface StoredUpload extends StartedUpload {
  etags: Record<number, string>;
}

export interface InterruptedUpload {
  /** Its name in the storage of the tab. */
  key: string;
  id: string;
  fileName: string;
  percent: number;
}

const getPrefix = (base: string) => `upload ${base} `;

export function getUploadKey(base: string, { name, size, lastModified }: File): string {
  return `${getPrefix(base)}${name} ${size} ${lastModified}`;
}

export function readStoredUpload(key: string): StoredUpload | null {
  try {
    const upload = JSON.parse(sessionStorage.getItem(key) ?? "null") as StoredUpload | null;
    return upload?.etags && Date.parse(upload.expiresAt) > Date.now() ? upload : null;
  } catch {
    // An upload that another version of this page stored begins again.
    return null;
  }
}

export function storeUpload(key: string, upload: StoredUpload): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(upload));
  } catch {
    // The storage of the tab is full: the upload goes on, and cannot be continued later.
  }
}

export function removeStoredUpload(key: string): void {
  sessionStorage.removeItem(key);
}

/** The uploads of a workspace that this tab began and did not finish. */
export function listInterruptedUploads(base: string): InterruptedUpload[] {
  const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(getPrefix(base)));
  return keys.flatMap((key) => {
    const upload = readStoredUpload(key);
    if (!upload) return [];
    const percent = Math.round((Object.keys(upload.etags).length / upload.partCount) * 100);
    const fileName = key.slice(getPrefix(base).length).replace(/ \d+ \d+$/, "");
    return [{ key, id: upload.id, fileName, percent }];
  });
}
