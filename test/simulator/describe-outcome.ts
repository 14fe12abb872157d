// Rows of the table in the guide about forced outcomes.
import type { NetworkName, Outcome } from "../../lib/simulator/outcomes.ts";
import type { Ending, Kind, NetworkAnswer } from "./run-outcome.ts";

const NAMES: Readonly<Record<NetworkName, string>> = {
  ...{ tiktok: "TikTok", instagram: "Instagram", youtube: "YouTube", twitter: "X", pinterest: "Pinterest" },
  ...{ threads: "Threads", linkedin: "LinkedIn", facebook: "Facebook", bluesky: "Bluesky", hosted: "hosted" },
};

export interface Run {
  network: NetworkName;
  outcome: Outcome;
  kind: Kind;
  ending: Ending;
}

const SUMMARIES: Readonly<Record<Outcome, string>> = {
  rejected: "The network takes no such post.",
  slow: "The network processes the file for ten minutes. What it does not process is out at once.",
  rate_limited: "The network answers that there were too many calls, for a minute. The service then repeats the call.",
  outcome_unknown:
    "The network publishes the post, but its answer is lost, and it answers nothing for a minute. The service then asks whether the post is out.",
  disconnected: "The network accepts no token of the account any more, until test mode is reset.",
  not_processed: "The network takes the file, and cannot process it. What it does not process is out at once.",
};

/** A table for each outcome. Kinds of posts with the same row share it. */
export function toTables(runs: readonly Run[], outcomes: readonly Outcome[]): string {
  return outcomes
    .map((outcome) => {
      const own = runs.filter((run) => run.outcome === outcome);
      const rows = new Map<string, { network: NetworkName; kinds: Kind[]; cells: string }>();
      for (const run of own) {
        const cells = toCells(run);
        const row = rows.get(`${run.network} ${cells}`) ?? { network: run.network, kinds: [], cells };
        rows.set(`${run.network} ${cells}`, { ...row, kinds: [...row.kinds, run.kind] });
      }
      const lines = [...rows.values()].map(
        ({ network, kinds, cells }) => `| ${NAMES[network]} | ${kinds.join(", ")} | ${cells} |`,
      );
      const head =
        "| Network | Post | The call, and what the network answers | The account | Error | Events |\n| --- | --- | --- | --- | --- | --- |";
      return `## \`[sandbox:${outcome}]\`\n\n${SUMMARIES[outcome]}\n\n${head}\n${lines.join("\n")}`;
    })
    .join("\n\n");
}

function toCells({ ending }: Run): string {
  const { status, errors, message, events, seconds, answer } = ending;
  const codes = errors.map((code) => `\`${code}\``).join(", then ");
  const error = codes && message ? `${codes}: ${message}` : codes || "none";
  const after = seconds > 1 ? ` after ${toDuration(seconds)}` : "";
  const shown = [...new Set(events)].map((type) => `\`${type}\``).join(", ");
  return [describeAnswer(answer), `\`${status}\`${after}`, error, shown].map(escapeCell).join(" | ");
}

/** The looks are a little later than the moments that they are about. */
const toDuration = (seconds: number): string => (seconds < 120 ? "1 minute" : "10 minutes");

const escapeCell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** The path below the network, with ids left out. */
function toPattern(path: string): string {
  const isId = (part: string) => /%3A|^(?=.*\d)[\w.~-]{9,}$/.test(part);
  const parts = path.split("/").slice(2);
  return `/${parts.map((part) => (isId(part) ? "{id}" : part)).join("/")}`;
}

/** Call, status, code and text, wherever the network has them. */
function describeAnswer({ method, path, status, body }: NetworkAnswer): string {
  const error = body?.error;
  const video = body?.items?.[0]?.status;
  const codes: unknown[] = [
    body?.data?.fail_reason,
    error?.errors?.[0]?.reason ?? error?.code,
    error?.error_subcode,
    typeof error === "string" ? error : undefined,
    video?.rejectionReason ?? video?.failureReason,
    body?.data?.processing_info?.error?.name,
    body?.status?.processing_phase?.errors?.[0]?.code,
    body?.jobStatus?.failureCode,
    body?.errorDetails?.inputErrors?.[0]?.code ?? body?.code,
  ];
  const [state] = [body?.error_message, body?.status].filter((word) => typeof word === "string");
  const known = codes.filter((code) => code !== undefined && code !== "ok").map((code) => `\`${String(code)}\``);
  const text = error?.message ?? body?.errors?.[0]?.message ?? body?.detail ?? body?.message ?? body?.error_description;
  const words = [...known, ...(known.length === 0 && state ? [`\`${state}\``] : [])].join(" ");
  return [`\`${method} ${toPattern(path)}\`: ${status}`, words, status >= 400 && text ? `"${text}"` : ""]
    .filter(Boolean)
    .join(" ");
}
