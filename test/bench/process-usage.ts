// CPU time and memory of processes, read from /proc, which exists only on Linux.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

export interface ProcessUsage {
  cpuSeconds: number;
  /** Peak resident memory since the last `resetPeakMemory`. */
  peakMiB: number;
  residentMiB: number;
}

/** Returns the descendants of `ancestor` with this name; none where /proc does not exist. */
export function findDescendants(ancestor: number, name: string): number[] {
  const processes = listProcesses();
  const isDescendant = (pid: number): boolean =>
    pid === ancestor || (pid > 1 && isDescendant(processes.get(pid)?.parent ?? 0));
  return findProcesses(name, processes).filter(isDescendant);
}

/** Returns the processes of the machine with this name; none where /proc does not exist. */
export function findProcesses(name: string, processes = listProcesses()): number[] {
  return [...processes].filter(([, { command }]) => command === name).map(([pid]) => pid);
}

function listProcesses(): Map<number, { command: string; parent: number }> {
  const found = new Map<number, { command: string; parent: number }>();
  try {
    for (const pid of readdirSync("/proc").map(Number).filter(Number.isInteger)) {
      const [, command = "", parent = "0"] = /^\d+ \((.*)\) \S (\d+)/.exec(readProcFile(pid, "stat")) ?? [];
      found.set(pid, { command, parent: Number(parent) });
    }
  } catch {}
  return found;
}

/** Returns the sum over all processes; null when there are none. */
export function measureUsage(pids: number[]): ProcessUsage | null {
  if (pids.length === 0) return null;
  const usages = pids.map(measureProcess);
  const sum = (select: (usage: ProcessUsage) => number) => usages.reduce((total, usage) => total + select(usage), 0);
  return {
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    peakMiB: sum(({ peakMiB }) => peakMiB),
    residentMiB: sum(({ residentMiB }) => residentMiB),
  };
}

function measureProcess(pid: number): ProcessUsage {
  // The fields after the name, which may contain any character: user and system time in hundredths of a second.
  const [, ...fields] = readProcFile(pid, "stat").split(") ").pop()?.split(" ") ?? [];
  const status = readProcFile(pid, "status");
  const mib = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
  return {
    cpuSeconds: (Number(fields[10]) + Number(fields[11])) / 100,
    peakMiB: mib("VmHWM"),
    residentMiB: mib("VmRSS"),
  };
}

export function resetPeakMemory(pids: number[]): void {
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

/** Returns an empty string when the process has exited meanwhile. */
function readProcFile(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
