// A plan is of everything that a post publishes: an approval or a commit never lets a changed field through.
import { expect, test } from "vitest";
import { CONTENT_FIELDS } from "../../drizzle/schema/posts.ts";
import { findPlanChanges, hashPlan } from "../../lib/publishing/plan.ts";
import { PostCreate, type PostDraft } from "../../lib/schemas/post-body.ts";

const draft = PostCreate.parse({ caption: "Words", accounts: [{ id: "01a00000-0000-7000-8000-000000000000" }] });
const hash = (changed: object = {}) =>
  hashPlan({ ...draft, ...changed } as PostDraft, { accounts: new Map(), files: new Map() });

test.each(CONTENT_FIELDS)("a change of %s changes the plan", (field) => {
  const other = Array.isArray(draft[field]) ? [{ account_id: "other" }] : "other";
  expect(findPlanChanges(hash(), hash({ [field]: other })), "hash it in lib/publishing/plan.ts").toHaveLength(1);
});

test("the same draft has the same plan", () => {
  expect(findPlanChanges(hash(), hash())).toEqual([]);
});
