// Removes an object by the Graph API, for Facebook and Threads.
import type { NetworkResponse } from "./http.ts";
import { isPermissionCode, type MetaError, readMetaError } from "./meta.ts";
import type { Job } from "./platform.ts";
import type { PublishedPost, Removal } from "./published-post.ts";
import { permissionMissing } from "./takedown.ts";

interface GraphCalls {
  platform: "facebook" | "threads";
  requestRaw(job: Job, method: "DELETE", path: string): Promise<NetworkResponse>;
  /** Throws what an error of the network means. */
  assertSuccess(job: Job, response: NetworkResponse): void;
  /** Throws unless the account itself can be read. */
  readAccount(job: Job): Promise<unknown>;
}

export function isPermissionMissing(error: MetaError | null): boolean {
  return error?.subcode === null && isPermissionCode(error.code);
}

export const isGone = (error: MetaError | null): boolean => error?.code === 100 && error.subcode === 33;

/**
 * Meta answers the same error for an object that is gone and for one that the token may not see, so the account is read
 * before the object counts as gone.
 */
export function createRemoval({ platform, requestRaw, assertSuccess, readAccount }: GraphCalls) {
  return async (job: Job, { id }: PublishedPost): Promise<Removal> => {
    const response = await requestRaw(job, "DELETE", id);
    const error = readMetaError(response.body);
    if (isGone(error)) {
      await readAccount(job);
      return "already_gone";
    }
    if (isPermissionMissing(error)) throw permissionMissing(platform, "remove");
    assertSuccess(job, response);
    return "unpublished";
  };
}
