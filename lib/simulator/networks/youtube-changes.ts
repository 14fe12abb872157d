// Deletion and update of videos at the simulated YouTube.
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  type PublishedItem,
  readJsonObject,
  removePublished,
} from "./network.ts";
import { errorResponse, findResourceError } from "./youtube-protocol.ts";

interface ChangeableVideo {
  account: NetworkAccount;
  snippet: Record<string, unknown>;
  status: Record<string, unknown>;
}

export function createChanges(videos: Map<string, ChangeableVideo>, published: PublishedItem[]) {
  function remove(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const id = request.query.get("id") ?? "";
    if (!removePublished(published, account, id)) return errorResponse("videoNotFound");
    videos.delete(id);
    return { status: 204 };
  }

  /** An update replaces the snippet: what it does not send is gone. */
  function update(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const { id, snippet = {} } = readJsonObject(request) as { id?: string; snippet?: Record<string, unknown> };
    const video = videos.get(id ?? "");
    const item = published.find((one) => one.id === id);
    if (!item || video?.account.externalId !== account.externalId) return errorResponse("videoNotFound");
    if (snippet.categoryId === undefined) return errorResponse("invalidCategoryId");
    const resourceError = findResourceError(snippet, video.status);
    if (resourceError) return errorResponse(resourceError);
    video.snippet = snippet;
    const { title, description, ...metadata } = snippet;
    const { tags: _tags, categoryId: _categoryId, ...kept } = item.settings;
    Object.assign(item, { title, caption: String(description ?? ""), settings: { ...kept, ...metadata } });
    return { status: 200, body: { kind: "youtube#video", id, snippet } };
  }

  return { remove, update };
}
