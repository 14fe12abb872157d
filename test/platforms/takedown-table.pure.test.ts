// What networks can do about posts that are out: the table of the guide, the drivers and the capabilities say the same.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeCapabilities } from "../../lib/platforms/capabilities.ts";
import { drivers } from "../../lib/platforms/index.ts";
import { TAKEDOWNS } from "../../lib/platforms/takedown.ts";
import { PLATFORM_DETAILS, PLATFORMS, type Platform } from "../../lib/shared/platforms.ts";

const GUIDE = join(import.meta.dirname, "../../functions/meta/reference/guides/19-taking-down.md");

function toRow(platform: Platform): string {
  const { unpublish, edits, permissions, removedByHand } = TAKEDOWNS[platform];
  const cells = [
    PLATFORM_DETAILS[platform].name,
    unpublish ? "yes" : "no",
    edits.length > 0 ? edits.join(", ") : "nothing",
    permissions.join(" or ") || "none",
    removedByHand,
  ];
  return `| ${cells.join(" | ")} |`;
}

test("the guide has a row for each network, as the table of the drivers has it", () => {
  const rows = readFileSync(GUIDE, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2);
  expect(rows).toEqual(PLATFORMS.map(toRow));
});

test.each(PLATFORMS)("%s: the driver has the calls that the table names, and no others", (platform) => {
  const driver = drivers[platform];
  expect(driver?.unpublish !== undefined).toBe(TAKEDOWNS[platform].unpublish);
  expect(driver?.edit !== undefined).toBe(TAKEDOWNS[platform].edits.length > 0);
  const { unpublish, edit_published } = describeCapabilities(platform, "byo", null);
  expect({ unpublish, edit_published }).toEqual({
    unpublish: TAKEDOWNS[platform].unpublish,
    edit_published: TAKEDOWNS[platform].edits,
  });
});

test.each(PLATFORMS)(
  "%s: an account that is known to lack the permission can neither remove nor change",
  (platform) => {
    const { permissions, unpublish, edits } = TAKEDOWNS[platform];
    const describe = (scopes: string[]) => describeCapabilities(platform, "byo", scopes);
    expect(describe(["another"])).toMatchObject({ unpublish: false, edit_published: [] });
    for (const permission of permissions)
      expect(describe(["another", permission])).toMatchObject({ unpublish, edit_published: edits });
  },
);

test.each(PLATFORMS)("%s: nothing that is out on a hosted account can be changed", (platform) => {
  expect(describeCapabilities(platform, "hosted", null)).toMatchObject({ unpublish: false, edit_published: [] });
});

test.each(PLATFORMS)("%s: the source is an official page with the day on which it was read", (platform) => {
  const { source, read, removedByHand } = TAKEDOWNS[platform];
  expect(source).toMatch(/^https:\/\/[\w.]+\/\S+$/);
  expect(read).toMatch(/^2026-\d\d-\d\d$/);
  expect(removedByHand).toMatch(/^Open .+\.$/);
});
