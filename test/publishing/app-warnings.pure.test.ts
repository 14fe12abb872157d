// What a published post lacks because of an app: told as the operator's, or as the customer's whose app it is.
import { expect, test } from "vitest";
import { OPERATOR_ACTS } from "../../lib/platforms/platform.ts";
import { logOperatorAlert, toCustomerWarnings } from "../../lib/publishing/app-failures.ts";

const warning = { code: "visibility_reduced", message: `It is private. ${OPERATOR_ACTS}`, operator: true as const };
const other = { code: "thumbnail_not_set", message: "It has no thumbnail." };
const deployments = { platform: "youtube" as const, app: null };
const own = { ...deployments, app: { clientId: "client-7" } as never };

function alert(account: Parameters<typeof logOperatorAlert>[2], found: typeof warning | typeof other) {
  const lines: object[] = [];
  logOperatorAlert({ log: (line) => void lines.push(line) }, found, account, { delivery: "d" });
  return lines;
}

test("the deployment's app: the operator is alerted, and the customer reads that nothing is theirs to do", () => {
  expect(toCustomerWarnings([warning, other], deployments)).toEqual([warning, other]);
  const line = { level: "error", delivery: "d", network: "youtube", code: warning.code, operator: warning.message };
  expect(alert(deployments, warning)).toEqual([line]);
  expect(alert(deployments, other)).toEqual([]);
});

test("an app of the customer's own: they read that it is theirs, and nobody is alerted", () => {
  const [told, untouched] = toCustomerWarnings([warning, other], own) ?? [];
  expect(told?.message).toBe("It is private. The app client-7 is your own: correct it at YouTube.");
  expect(untouched).toEqual(other);
  expect(alert(own, warning)).toEqual([]);
  expect(toCustomerWarnings(undefined, own)).toBeUndefined();
});
