// What a process and those below it have cost so far, from /proc; elsewhere nobody tells.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

export interface Cost {
  cpuSeconds: number;
  /** The most memory that was resident since the last `forgetPeak`, and what is now. */
  peakMiB: number;
  residentMiB: number;
}

/** The processes of this name below `ancestor`; none where the system does not tell. */
export function processesBelow(ancestor: number, name: string): number[] {
  const parents = new Map<number, number>();
  const found: number[] = [];
  try {
    for (const pid of readdirSync("/proc").map(Number).filter(Number.isInteger)) {
      const [, command = "", parent = "0"] = /^\d+ \((.*)\) \S (\d+)/.exec(read(pid, "stat")) ?? [];
      parents.set(pid, Number(parent));
      if (command === name) found.push(pid);
    }
  } catch {
    return [];
  }
  const below = (pid: number): boolean => pid === ancestor || (pid > 1 && below(parents.get(pid) ?? 0));
  return found.filter(below);
}

/** Of all of them together; null when there are none. */
export function costOf(pids: number[]): Cost | null {
  if (pids.length === 0) return null;
  const costs = pids.map(costOfOne);
  const sum = (of: (cost: Cost) => number) => costs.reduce((total, cost) => total + of(cost), 0);
  return {
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    peakMiB: sum(({ peakMiB }) => peakMiB),
    residentMiB: sum(({ residentMiB }) => residentMiB),
  };
}

function costOfOne(pid: number): Cost {
  // Behind the name, which may hold anything: user and system time, in hundredths of a second.
  const [, ...fields] = read(pid, "stat").split(") ").pop()?.split(" ") ?? [];
  const status = read(pid, "status");
  const mib = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
  return {
    cpuSeconds: (Number(fields[10]) + Number(fields[11])) / 100,
    peakMiB: mib("VmHWM"),
    residentMiB: mib("VmRSS"),
  };
}

export function forgetPeaks(pids: number[]): void {
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

/** A process may end while it is looked at. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
