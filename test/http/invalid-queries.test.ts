// Queries that an operation rejects, each with the field that its error names: the last one of the query unless another is given.
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { createTestTenant } from "../support/harness.ts";

type Rejected = string | readonly [query: string, field: string];

const PAGES = ["limit=0", "limit=101", "limit=ten", "limit=", "limit=1.5", "offset=-1", "offset=x", "offset=1.5"];
const PERIODS: Rejected[] = [
  ...["range=7d", "range=", "start=2026-01-02&end=2026-01-01", "start=2010-01-01&end=2026-01-01"],
  ["range=30d&start=2026-01-01&end=2026-01-02", "range"],
  ["start=2026-01-01", "end"],
  ["end=2026-01-01", "start"],
  ["start=2026-02-30&end=2026-03-01", "start"],
  ["start=2026-01-01T00:00:00&end=2026-01-02", "start"],
];
const DATES = [
  ...["created_since=yesterday", "created_since=2026-03-01"],
  ...["created_until=2026-03-01T10:00:00", "created_until=2026-02-30T10:00:00Z"],
];
const list = (length: number, item: (at: number) => string) => Array.from({ length }, (_, at) => item(at)).join(",");

const LISTS: [path: string, status: number, code: string, queries: Rejected[]][] = [
  ["/packs", 422, "invalid_query", [...PAGES, "include_public=maybe", "include_public=", "search=a%00b", "sort=name"]],
  ["/templates", 422, "invalid_query", [...PAGES, ...DATES, `search=${"x".repeat(201)}`, "search=a%00b", "sort=name"]],
  ["/slideshows", 422, "invalid_query", [...PAGES, "status=posted", "search=a&search=b", "page=1"]],
  [
    "/folders",
    400,
    "invalid_query_parameter",
    [...PAGES, "media_type=video", "parent_folder_id=top", "parent_folder_id="],
  ],
  [`/folders/${newId()}/items`, 400, "invalid_query_parameter", PAGES],
  ["/files", 400, "invalid_query_parameter", [...PAGES, "type=audio", "folder_id=launch", "sort=size"]],
  [
    "/trends/brief",
    422,
    "invalid_query",
    [
      ...["keyword=a&platform=instagram", "keyword=%20%23%20", "keyword=a&keyword=b", `keyword=${"a".repeat(101)}`],
      ...["keyword=a%00b", "keyword=a&limit=0", "keyword=a&limit=31", "keyword=a&limit=many", "keyword=a&range=1y"],
      ["", "keyword"],
    ],
  ],
  ["/analytics/targets", 400, "invalid_query", [...PAGES, "sort=name"]],
  [`/analytics/targets/${newId()}`, 400, "invalid_query", ["range=7d"]],
  [
    "/analytics/summary",
    400,
    "invalid_query",
    [
      ...PERIODS,
      ...["platforms=mastodon", "platforms=tiktok,,y", "platforms=", "platforms=tiktok&platforms=youtube", "limit=5"],
      ...["accounts=", `accounts=${list(101, (at) => `a${at}`)}`, "accounts=%00"],
    ],
  ],
  [
    "/analytics/summary/posts",
    400,
    "invalid_query",
    ["sortBy=likes_", "sortOrder=up", "limit=0", "limit=101", "offset=10001", "range=7d", "cursor=a"],
  ],
];

describe.each(LISTS)("GET %s", (path, status, code, queries) => {
  test.each(queries.map((one) => (typeof one === "string" ? ([one, toField(one)] as const) : one)))(
    `${status} ${code} for %s`,
    async (query, field) => {
      const { api } = await createTestTenant();
      const response = await api.get(`${path}?${query}`);
      expect([response.status, response.body.error_code]).toEqual([status, code]);
      expect(Object.keys(response.body.issues.fieldErrors)).toEqual([field]);
    },
  );
});

function toField(query: string): string {
  return query.split("&").at(-1)?.split("=")[0] ?? "";
}
