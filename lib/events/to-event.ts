// A stored event in its public shape: `object` is what the read of its noun returned at that time.
import { toAccountResponse } from "../accounts/to-response.ts";
import { toRefreshResponse } from "../analytics/to-response.ts";
import { toProjectResponse } from "../editor/to-response.ts";
import { toAccountState, toApprovalResponse, toPostResponse } from "../publishing/to-response.ts";
import * as rows from "../queries/event-rows.ts";
import type { StoredEvent } from "../queries/events.ts";
import { toSlideshow } from "../queries/slideshows.ts";
import type { Event } from "../schemas/event.ts";
import { EVENT_OBJECTS } from "../schemas/event-objects.ts";
import type { RequestContext } from "../services/context.ts";
import type { EventSnapshot } from "../shared/event-snapshots.ts";
import { EVENT_NOUNS, type EventNoun } from "../shared/event-types.ts";
import type { Mode } from "../shared/scope.ts";
import { toFileDetails } from "../uploads/file-report.ts";
import { toUploadResponse, toWebhookResponse } from "./to-response.ts";

type Context = Pick<RequestContext, "env" | "sandbox">;

const DESCRIBE: Record<EventNoun, (snapshot: EventSnapshot, context: Context, scope: EventScope) => object> = {
  post: (snapshot) => toPostResponse(rows.toPostRow(snapshot)),
  delivery: (snapshot) => {
    const delivery = rows.toDeliveryRow(snapshot);
    return { post_id: delivery.postId, ...toAccountState(delivery) };
  },
  account: (snapshot) => toAccountResponse(rows.toAccountRow(snapshot)),
  file: (snapshot) => toFileDetails(rows.toFileRow(snapshot)),
  upload: (snapshot) => toUploadResponse(rows.toUploadRow(snapshot)),
  slideshow: (snapshot) => toSlideshow(rows.toSlideshowRow(snapshot)),
  project: (snapshot, context) => toProjectResponse(context, rows.toProjectRow(snapshot)),
  refresh: (snapshot, _context, scope) => toRefreshResponse(rows.toRefreshRow(snapshot), scope),
  approval: (snapshot) => toApprovalResponse(rows.toApprovalRow(snapshot)),
  webhook: (snapshot) => toWebhookResponse(rows.toWebhookRow(snapshot)),
  api: (snapshot) => snapshot,
};

export interface EventScope {
  workspaceId: string | null;
}

/** The schema leaves out what is not public, as it does in the response of a read. */
function toObject(context: Context, scope: EventScope, { type, snapshot }: Pick<StoredEvent, "type" | "snapshot">) {
  const noun = EVENT_NOUNS[type];
  return { ...EVENT_OBJECTS[noun].parse(DESCRIBE[noun](snapshot, context, scope)) };
}

/** Events of a test scope are read with its services. */
export const toMode = ({ sandbox }: Pick<Context, "sandbox">): Mode => (sandbox ? "test" : "live");

export function toEvent(context: Context, scope: EventScope, event: StoredEvent): Event {
  const { id, type, createdAt, sequence } = event;
  return {
    ...{ id, type, created_at: createdAt, workspace_id: scope.workspaceId, sequence, mode: toMode(context) },
    data: { object: toObject(context, scope, event) },
  };
}
