import { fileURLToPath } from "node:url";
import { api } from "../../../system/api/process.ts";
import { netd } from "../../../system/network/process.ts";
import { MEMORY_REDUCER } from "../../../system/core/process/start_garbage.ts";
import type { LabProcess } from "../../kit/lab/command.ts";
import { buildLab, type Lab } from "../../kit/lab/lab.ts";
import { LAB_PASSWORD, labInterfaces } from "../../kit/lab/router.ts";
import { closedFolder, until } from "../../kit/process.ts";
import { DEVICES, EVENTS, GROUPS, RULES, writeVeryLargeHome } from "../load/home.ts";
import { print } from "../print.ts";
import { aligned, type Row } from "../table.ts";
import type { Called, Calls } from "./calls.ts";
import { heavyCalls } from "./heavy_calls.ts";
import type { Hold } from "./probe.ts";
import { stacksOf } from "./stacks.ts";
import { writeMuchToTell } from "./much_to_tell.ts";

/** Milliseconds that nothing should hold the loop, and that no call should take. */
const MOST_HOLD = 50, MOST_WHOLE = 2000;
const HOST = "127.0.0.1:80";
/** Milliseconds of all calls together. */
const PATIENCE = 1_800_000;

/** A pause of V8's in which the main thread did nothing else. */
interface Pause {
  readonly at: number;
  readonly kind: string;
  readonly took: number;
}

/**
 * What holds the loop of the api: a router of 1,000 devices, 200 groups and 2,000 rules on the kernel
 * of a network namespace, with netd, and one heavy call after the other. Prints for each how long it
 * took as a whole, and the longest time that the main thread worked without another turn of the loop,
 * in processor time ({@link import("./probe.ts")}), beside the longest pause for garbage. Arguments
 * that begin with `--only=` name parts of the calls, with commas between; with `--stacks` it also
 * prints where the time of the longest went, by a profile, which makes everything slower.
 */
export async function loop(): Promise<readonly Row[]> {
  const { folder: home, remove } = await closedFolder("sluice-bench-loop-");
  const lab = await buildLab({ name: "benchloop", clients: 1 });
  try {
    const identities = await writeVeryLargeHome(home);
    await writeMuchToTell(home);
    // The launcher would make it.
    await Deno.mkdir(`${home}/state/net`, { recursive: true });
    await Deno.writeTextFile(
      `${home}/configs/base/interfaces.json`,
      JSON.stringify(labInterfaces(lab)),
    );
    const process = (descriptor: typeof api | typeof netd, more: readonly string[]) =>
      startProcess(lab, { home, name: descriptor.name, flags: descriptor.engineFlags, more });
    const held = `${home}/held`;
    const router = process(api, [`--preload=${script("probe.ts")}`]);
    const kernel = process(netd, []);
    try {
      const only = Deno.args.find((word) => word.startsWith("--only="))?.slice("--only=".length);
      const parts = (only ?? "").split(",");
      const calls = heavyCalls(identities)
        .filter(({ what }) => parts.some((part) => what.includes(part)));
      const work: Calls = { host: HOST, password: LAB_PASSWORD, pid: router.pid, calls };
      await Deno.writeTextFile(`${home}/calls.json`, JSON.stringify(work));
      print(
        `${DEVICES} devices, ${GROUPS} groups, ${RULES} rules, ${EVENTS} stored events, ` +
          `load ${Deno.loadavg()[0]!.toFixed(1)}`,
      );
      const caller = lab.deno("router", script("calls.ts"), [`${home}/calls.json`]);
      await caller.until(() => caller.count(/^over$/) > 0, PATIENCE);
      for (const line of lines(caller, /^failed: /)) print(line);
      const called = lines(caller, /^\{/).map((line): Called => JSON.parse(line));
      const profile = Deno.args.includes("--stacks") ? await profileOf(home) : null;
      await report(called, { held, router, profile });
      await caller.line(/^over$/);
      return [];
    } catch (error) {
      throw new Error(`${error}\n${router.output.slice(-2000)}\n${kernel.output.slice(-2000)}`);
    } finally {
      await router.stop();
      await kernel.stop();
    }
  } finally {
    await lab.close();
    await remove();
  }
}

function startProcess(
  lab: Lab,
  { home, name, flags, more }: {
    readonly home: string;
    readonly name: string;
    readonly flags: readonly string[];
    readonly more: readonly string[];
  },
): LabProcess {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const engine = `--v8-flags=${
    [...MEMORY_REDUCER, ...flags, "--trace-gc", "--expose-gc"].join(",")
  }`;
  return lab.spawn("router", Deno.execPath(), [
    ...["run", "-q", "-A", engine, ...more, `${root}main.ts`, name],
  ], {
    SLUICE_HOME: home,
    SLUICE_HTTP: HOST,
    SLUICE_NETWORK: "on",
    SLUICE_SERVICES: "none",
    SLUICE_INSTALL: "no",
    SLUICE_ADMIN_PASSWORD: LAB_PASSWORD,
    SLUICE_LOOP_PROBE: `${home}/held`,
    ...(Deno.args.includes("--stacks") ? { SLUICE_LOOP_PROFILE: `${home}/profile` } : {}),
  });
}

/** The profile that the probe has taken until now. */
async function profileOf(home: string): Promise<string> {
  await Deno.writeTextFile(`${home}/profile`, "");
  const path = `${home}/profile.cpuprofile`;
  await until("the profile is there", () => Deno.stat(path).then(() => true, () => false));
  return await Deno.readTextFile(path);
}

async function report(
  called: readonly Called[],
  { held, router, profile }: {
    readonly held: string;
    readonly router: LabProcess;
    readonly profile: string | null;
  },
): Promise<void> {
  const [first, ...rest] = (await Deno.readTextFile(held)).trim().split("\n");
  const { zero }: { readonly zero: number } = JSON.parse(first!);
  const holds = rest.map((line): Hold => JSON.parse(line));
  const pauses = pausesOf(router.output, zero);
  const rows = called.map(({ what, spans, whole, small, worked, sent, received, status }) => {
    const within = <T extends { readonly at: number }>(all: readonly T[]): readonly T[] =>
      all.filter(({ at }) => spans.some(({ from, to }) => at >= from && at <= to));
    const longest = within(holds).toSorted((a, b) => b.worked - a.worked)[0];
    const pause = within(pauses).toSorted((a, b) => b.took - a.took)[0];
    const inside = longest === undefined ? 0 : pauses
      .filter(({ at }) => at >= longest.at - longest.passed && at <= longest.at + 1)
      .reduce((sum, { took }) => sum + took, 0);
    return {
      what,
      whole,
      small,
      worked,
      sent,
      received,
      status,
      hold: longest?.worked ?? 0,
      longest,
      inside,
      pause,
    };
  });
  const number = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
  const heads = [
    ...["call", "status", "KB sent", "received", "whole ms", "worked ms", "small GET ms"],
    ...["longest hold ms", "of it garbage", "longest GC pause", ""],
  ];
  const table = rows.map((row) => [
    ...[row.what, String(row.status), number(row.sent / 1000), number(row.received / 1000)],
    ...[
      number(row.whole),
      number(row.worked),
      number(row.small),
      number(row.hold),
      number(row.inside),
    ],
    row.pause === undefined ? "" : `${row.pause.kind} ${number(row.pause.took)}`,
    [row.hold > MOST_HOLD ? "HOLDS" : "", row.whole > MOST_WHOLE ? "LONG" : ""].join(" ").trim(),
  ]);
  print(`\n${aligned([heads, ...table], [1, 2, 3, 4, 5, 6, 7, 8])}`);
  for (const { what, longest } of profile === null ? [] : rows) {
    if (longest === undefined || longest.worked < MOST_HOLD / 2) continue;
    print(`\n${what}: ${number(longest.worked)} ms\n${stacksOf(profile!, longest)}`);
  }
  const missed = rows.filter(({ hold }) => hold > MOST_HOLD).length;
  print(
    `\n${missed} of ${rows.length} held the loop longer than ${MOST_HOLD} ms; ` +
      `load ${Deno.loadavg()[0]!.toFixed(1)}`,
  );
}

/** The pauses of the main thread's own heap; the first of all was the probe's. `zero`: when that was. */
function pausesOf(output: string, zero: number): readonly Pause[] {
  const pattern =
    /^\[\d+:(0x[0-9a-f]+)[^\]]*\]\s+(\d+) ms: (\D+?) [\d.]+ \(.*? MB, (?:pooled: [\d.]+ MB, )?([\d.]+) \//;
  const found = output.split("\n").map((line) => pattern.exec(line)).filter((m) => m !== null);
  const full = found.find((match) => match[3]!.includes("Mark-Compact"));
  if (full === undefined) return [];
  const offset = zero - Number(full[2]);
  return found.filter((match) => match[1] === full[1]).map(([, , at, kind, took]) => ({
    at: offset + Number(at),
    kind: kind!,
    took: Number(took),
  }));
}

function lines(process: LabProcess, pattern: RegExp): readonly string[] {
  return process.output.split("\n").filter((line) => pattern.test(line));
}

function script(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
