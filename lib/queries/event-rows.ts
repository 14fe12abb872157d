// Decodes the rows that events keep, so that the same functions describe them as describe a row that was just read.
import { type GetColumnData, getTableColumns } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { analyticsRefreshes } from "../../drizzle/schema/analytics.ts";
import { approvalLinks } from "../../drizzle/schema/approvals.ts";
import { files, uploads } from "../../drizzle/schema/files.ts";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { EventSnapshot, JsonRow } from "../shared/event-snapshots.ts";
import type { ListedAccount } from "./accounts.ts";
import type { StoredRefresh } from "./analytics-refresh-requests.ts";
import { PROJECT_COLUMNS, type StoredProject } from "./editor.ts";
import type { FileRow } from "./files.ts";
import { pickContent, type StoredPost } from "./posts.ts";
import { ALL_COLUMNS as SLIDESHOW_COLUMNS } from "./slideshows.ts";
import { WEBHOOK_COLUMNS, type WebhookRow } from "./webhooks.ts";

type Columns = Record<string, PgColumn>;
type Row<Of extends Columns> = { [Name in keyof Of]: GetColumnData<Of[Name]> };

/** Picks columns from a row in JSON, decoded as the driver does. Throws for a column that the row does not have. */
function decodeColumns<Of extends Columns>(columns: Of, row: JsonRow): Row<Of> {
  const decoded = Object.entries(columns).map(([name, column]) => {
    if (!(column.name in row)) throw new Error(`the row of an event has no ${column.name}`);
    const value = row[column.name];
    return [name, value === null ? null : column.mapFromDriverValue(value)] as const;
  });
  return Object.fromEntries(decoded) as Row<Of>;
}

/** The columns of a table without some. */
function columnsWithout<Of extends PgTable, Name extends keyof Of["_"]["columns"]>(table: Of, left: readonly Name[]) {
  const columns = Object.entries(getTableColumns(table)).filter(([name]) => !left.includes(name as Name));
  return Object.fromEntries(columns) as Omit<Of["_"]["columns"], Name>;
}

const ACCOUNT = {
  ...{ id: accounts.id, platform: accounts.platform, type: accounts.type, username: accounts.username },
  ...{ displayName: accounts.displayName, status: accounts.status, statusReason: accounts.statusReason },
  ...{ workspaceId: accounts.workspaceId, tokenVersion: accounts.tokenVersion },
  ...{ tokenExpiresAt: accounts.tokenExpiresAt, refreshTokenExpiresAt: accounts.refreshTokenExpiresAt },
  grantedScopes: accounts.grantedScopes,
};

/** Columns that the rows of older events do not have. */
const ADDED_TO_ACCOUNTS = { granted_scopes: null };

export function toAccountRow(row: JsonRow): ListedAccount & Row<typeof ACCOUNT> {
  return {
    ...decodeColumns(ACCOUNT, { ...ADDED_TO_ACCOUNTS, ...row }),
    hasRefreshToken: row.has_refresh_token === true,
  };
}

const DELIVERY = {
  ...{ postId: postDeliveries.postId, accountId: postDeliveries.accountId, status: postDeliveries.status },
  ...{ publishedAt: postDeliveries.publishedAt, publishedUrl: postDeliveries.publishedUrl },
  ...{ errorCode: postDeliveries.errorCode, errorMessage: postDeliveries.errorMessage },
  ...{ warnings: postDeliveries.warnings, lastAttemptedAt: postDeliveries.lastAttemptedAt },
  ...{ attempts: postDeliveries.attempts, nextAttemptAt: postDeliveries.nextAttemptAt, dueAt: postDeliveries.dueAt },
  ...{ stage: postDeliveries.stage, risk: postDeliveries.risk },
  ...{ part: postDeliveries.part, parts: postDeliveries.parts },
};

const ADDED_TO_DELIVERIES = { part: 0, parts: null };
const ADDED_TO_POSTS = { overrides: [], first_comment: null, thread: null, link: null, schedule: null };

/** A delivery of an event is not due, or has ended: it is not overdue and waits for no other. */
export function toDeliveryRow(row: JsonRow): StoredPost["deliveries"][number] & { postId: string } {
  const { nextAttemptAt, ...delivery } = decodeColumns(DELIVERY, { ...ADDED_TO_DELIVERIES, ...row });
  const { dueAt, status } = delivery;
  const isPreparedBefore = status === "scheduled" && nextAttemptAt !== null && dueAt !== null && nextAttemptAt < dueAt;
  return {
    ...delivery,
    nextAttemptAt: isPreparedBefore ? dueAt : nextAttemptAt,
    isOverdue: false,
    waitingFor: [],
    account: toAccountRow(row.account as JsonRow),
  };
}

const POST = columnsWithout(posts, ["ownerId", "workspaceId", "scopeId", "payloadHash", "version", "scheduleZone"]);

export function toPostRow(snapshot: EventSnapshot): StoredPost {
  const { status, ...post } = decodeColumns(POST, { ...ADDED_TO_POSTS, ...snapshot });
  if (!status || !snapshot.deliveries) throw new Error("the row of an event is no post");
  const { id, scheduledAt, schedule, createdAt, updatedAt, externalId, metadata } = post;
  const deliveries = snapshot.deliveries.map(toDeliveryRow);
  const times = { scheduledAt, schedule, createdAt, updatedAt };
  return { id, ...pickContent(post), status, ...times, externalId, metadata, deliveries };
}

const FILE = columnsWithout(files, ["scopeId", "objectKey"]);

export function toFileRow(row: JsonRow): Omit<FileRow, "objectKey"> {
  return decodeColumns(FILE, row);
}

const UPLOAD = {
  ...{ id: uploads.id, contentType: uploads.contentType, filename: uploads.filename, size: uploads.size },
  ...{ reason: uploads.reason, createdAt: uploads.createdAt },
};

export const toUploadRow = (row: JsonRow) => decodeColumns(UPLOAD, row);
export const toSlideshowRow = (row: JsonRow) => decodeColumns(SLIDESHOW_COLUMNS, row);
export const toProjectRow = (row: JsonRow): StoredProject => decodeColumns(PROJECT_COLUMNS, row);

const { id, targetId, status, wasFree, startedAt, completedAt, error } = analyticsRefreshes;
const REFRESH = { id, targetId, status, wasFree, startedAt, completedAt, error };

export const toRefreshRow = (row: JsonRow): StoredRefresh => decodeColumns(REFRESH, row);

const APPROVAL = {
  ...{ id: approvalLinks.id, postId: approvalLinks.postId, recipient: approvalLinks.recipient },
  ...{ message: approvalLinks.message, planHash: approvalLinks.planHash },
  ...{ decision: approvalLinks.decision, comment: approvalLinks.comment, decidedAt: approvalLinks.decidedAt },
  ...{ withdrawnAt: approvalLinks.withdrawnAt, expiresAt: approvalLinks.expiresAt, createdAt: approvalLinks.createdAt },
};

/** Columns that the rows of older events do not have. */
const ADDED_TO_APPROVALS = { message: null, plan_hash: null };

export const toApprovalRow = (row: JsonRow): Omit<Row<typeof APPROVAL>, "planHash"> & { planHash: string | null } =>
  decodeColumns(APPROVAL, { ...ADDED_TO_APPROVALS, ...row });

export const toWebhookRow = (row: JsonRow): WebhookRow => decodeColumns(WEBHOOK_COLUMNS, row);
