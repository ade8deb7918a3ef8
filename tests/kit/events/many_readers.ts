import { LabProcess, must } from "../lab/command.ts";
import { inFolder, startProgram, until } from "../process.ts";

/** Addresses of the namespace: each is a source of its own, of which the router takes so many readers. */
const ADDRESSES = Array.from({ length: 8 }, (_, n) => `10.77.0.${n + 1}`);
const PORT = 8080;
const PASSWORD = "correct horse battery";
const PROGRAM = new URL("./event_readers.ts", import.meta.url).pathname;

/** How many readers of which kind get how many events. */
export interface Crowd {
  /** Event streams, WebSockets for all events, or those for notifications. */
  readonly kind: "sse" | "ws" | "notices";
  readonly readers: number;
  readonly perSecond: number;
  readonly seconds: number;
}

/** What came of it. */
export interface Received {
  /** Readers that received every event. */
  readonly whole: number;
  /** How many events each of the others lacks. */
  readonly missing: readonly number[];
  /** Seconds until the last reader had the last event, or was dropped; from the first event on. */
  readonly took: number;
  /** Seconds of processor time of the api meanwhile. */
  readonly processor: number;
}

/**
 * Has a program of this project send events to many readers over TCP: the program and the readers run
 * in a network namespace of their own, in which every reader's address is the router's as well. The
 * events are published by its socket for programs. Needs root.
 */
export async function withManyReaders(
  crowds: readonly Crowd[],
): Promise<readonly Received[]> {
  const space = `readers-${Deno.pid}`;
  await must("ip", ["netns", "add", space]);
  try {
    await must("ip", ["-n", space, "link", "set", "lo", "up"]);
    for (const address of ADDRESSES) {
      await must("ip", ["-n", space, "address", "add", `${address}/32`, "dev", "lo"]);
    }
    return await inFolder(async (home) => {
      await using program = startProgram({
        ...{ home, space },
        environment: { SLUICE_HTTP: `0.0.0.0:${PORT}`, SLUICE_ADMIN_PASSWORD: PASSWORD },
      });
      await until("the program listens", () => /Listening on 0\.0\.0\.0/.test(program.log()));
      const received: Received[] = [];
      for (const crowd of crowds) {
        received.push(await read(crowd, { space, home, launcher: program.pid }));
      }
      return received;
    });
  } finally {
    await must("ip", ["netns", "delete", space]);
  }
}

async function read(
  { kind, readers, perSecond, seconds }: Crowd,
  { space, home, launcher }: {
    readonly space: string;
    readonly home: string;
    readonly launcher: number;
  },
): Promise<Received> {
  const total = perSecond * seconds;
  const readersArgs = [kind, readers, PORT, `admin:${PASSWORD}`, total, ...ADDRESSES].map(String);
  const run = ["netns", "exec", space, Deno.execPath(), "run", "-q", "-A", PROGRAM];
  const process = new LabProcess("ip", [...run, ...readersArgs]);
  await process.line(/^open$/);
  const api = await childOf(launcher);
  const before = await processorSeconds(api);
  const start = performance.now();
  const topic = kind === "notices" ? "plugin:bench" : "of:bench";
  await publish(`${home}/state/api/eventbus.sock`, { topic, total, perSecond });
  const line = await process.line(/^\{/);
  const took = (performance.now() - start) / 1000;
  const processor = await processorSeconds(api) - before;
  await process.stop();
  return { ...JSON.parse(line) as Pick<Received, "whole" | "missing">, took, processor };
}

/** Publishes numbered events at an even rate. */
async function publish(
  path: string,
  { topic, total, perSecond }: {
    readonly topic: string;
    readonly total: number;
    readonly perSecond: number;
  },
): Promise<void> {
  using socket = await Deno.connect({ transport: "unix", path });
  const encoder = new TextEncoder();
  const start = performance.now();
  for (let n = 0; n < total;) {
    const due = Math.min(total, Math.ceil((performance.now() - start) / 1000 * perSecond));
    let lines = "";
    for (; n < due; n++) {
      lines += `{"topic":"${topic}","value":"{\\"n\\":${n},\\"name\\":\\"printer\\"}"}\n`;
    }
    const bytes = encoder.encode(lines);
    for (let sent = 0; sent < bytes.length;) sent += await socket.write(bytes.subarray(sent));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The child of a launcher that serves the API. */
export async function childOf(launcher: number): Promise<number> {
  const found = await must("pgrep", ["-P", String(launcher), "-f", "api.js api"]);
  return Number(found.trim().split("\n")[0]);
}

/** Processor time that a process has used, in seconds. */
async function processorSeconds(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // User and system time, in hundredths of a second (USER_HZ).
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
