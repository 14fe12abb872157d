// The references as a table: what each network was compared with, and how many distinct requests the tests sent.
import { references } from "./index.ts";

/** `requests` are lines of `takeRequests`, which begin with the network and the operation. */
export function formatTable(requests: readonly string[]): string {
  const distinct = [...new Set(requests)];
  const rows = [...references.values()].flatMap(({ network, operations, description, read, fixed, uncovered }) => {
    const own = distinct.filter((request) => request.startsWith(`${network} `));
    const used = new Set(own.map((request) => request.split(" ").slice(0, 3).join(" ")));
    const counts = `${String(own.length).padStart(4)} requests, ${used.size} of ${operations.length} operations`;
    return [
      `${network.padEnd(18)} ${counts.padEnd(34)} ${description}, read ${read}`,
      `${" ".repeat(23)} ${fixed.length} fixed: ${fixed.join("; ")}`,
      `${" ".repeat(23)} not covered: ${uncovered}`,
    ];
  });
  return ["Requests of the drivers compared with the networks' documentation:", ...rows].join("\n");
}
