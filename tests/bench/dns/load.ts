import type { Lab } from "../../kit/lab/lab.ts";

/** Result of a load of queries. */
export interface LoadResult {
  /** Answers in a second. */
  readonly rate: number;
  /** Time of the processor for each answer, in nanoseconds, the kernel's share included. */
  readonly each: number;
  readonly lost: number;
  /** Answers with another code than was to be. */
  readonly wrong: number;
  /** Part of that time that the kernel spent for it. */
  readonly kernel: number;
  /** Milliseconds within which half and 99 of 100 were answered; only with `every`. */
  readonly middle: number;
  readonly late: number;
}

/** Options of a load. */
export interface LoadOptions {
  readonly lab: Lab;
  readonly server: string;
  /** The server's process. */
  readonly pid: number;
  /** Input file of dnsperf. */
  readonly names: string;
  readonly seconds: number;
  /** The RCODE of every response; absent where they differ. */
  readonly code?: string;
  /** Questions in a second, each of whose answers is timed; absent: as many as go, 50 at a time. */
  readonly every?: number;
}

/** Asks a server from the lab's client. Throws when nobody answers. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { lab, server, pid, names, seconds, code, every } = options;
  const pace = every === undefined ? ["-q", "50", "-c", "4"] : ["-Q", String(every), "-v"];
  const args = ["-s", server, "-d", names, "-l", String(seconds), "-t", "2", ...pace];
  const before = await spent(pid);
  const { stdout } = await lab.exec("a", "dnsperf", args);
  const after = await spent(pid);
  const kernel = after.kernel - before.kernel, used = after.user - before.user + kernel;
  const number = (pattern: RegExp): number => Number(pattern.exec(stdout)?.[1] ?? 0);
  const completed = number(/Queries completed:\s+(\d+)/);
  if (completed === 0) throw new Error(`Nobody answered:\n${stdout.slice(-2000)}`);
  const right = code === undefined
    ? completed
    : number(new RegExp(`Response codes:.*\\b${code} (\\d+)`));
  return {
    rate: number(/Queries per second:\s+([\d.]+)/),
    each: used * 1e9 / completed,
    lost: number(/Queries lost:\s+(\d+)/),
    wrong: completed - right,
    kernel: kernel / used,
    ...(every === undefined ? { middle: 0, late: 0 } : times(stdout)),
  };
}

/** Of the times that dnsperf tells of each answer, in seconds: `> NOERROR name A 0.000123`. */
function times(output: string): { readonly middle: number; readonly late: number } {
  const all = [...output.matchAll(/^> \w+ .* ([\d.]+)$/gm)].map(([, time]) => Number(time));
  all.sort((a, b) => a - b);
  const at = (part: number): number => (all[Math.floor(all.length * part)] ?? NaN) * 1000;
  return { middle: at(0.5), late: at(0.99) };
}

/** Seconds of the processor that a process has used, by the 14th and 15th number of proc_pid_stat(5). */
async function spent(pid: number): Promise<{ readonly user: number; readonly kernel: number }> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const numbers = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
  // Ticks: a hundredth of a second on every Linux of ours.
  return { user: numbers[11]! / 100, kernel: numbers[12]! / 100 };
}

/** Resident memory of a process in MB. */
export async function resident(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
