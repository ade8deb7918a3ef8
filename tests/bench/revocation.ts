import { fileURLToPath } from "node:url";
import { INTERNET } from "../kit/lab/lab.ts";
import { withBed } from "../kit/lab/bed.ts";
import { LAB_PASSWORD } from "../kit/lab/router.ts";
import { Connection } from "./connection.ts";
import { median, type Row } from "./table.ts";

const TIMES = 9;
const PORT = 4000;
/** Milliseconds of the flow before it is cut. */
const RUNS = 200;

/**
 * From asking for a revocation to the last packet that still comes through, beside the time to its
 * answer: up to 1, nothing comes through once it is answered.
 */
export async function revocation(): Promise<readonly Row[]> {
  const lasts: number[] = [];
  const answers: number[] = [];
  await withBed({ name: "bench", lab: { clients: 1 } }, async ({ lab, router, clients }) => {
    const device = `/device?identity=${clients[0]!.mac}`;
    const script = fileURLToPath(new URL("packets.ts", import.meta.url));
    const receiver = lab.deno("wan", script, ["receive", String(PORT)]);
    await receiver.line(/^ready$/);
    const door = router.openDoor();
    using connection = await Connection.open(door.url.replace("http://", ""));
    const headers = await connection.signIn(LAB_PASSWORD);
    const put = (Policies: readonly string[]): Uint8Array =>
      connection.request("PUT", device, { headers, body: { Policies } });
    lab.deno("a", script, ["send", INTERNET, String(PORT)]);
    for (let turn = 0; turn <= TIMES; turn++) {
      await connection.must(put(["wan", "dns"]));
      await new Promise((resolve) => setTimeout(resolve, RUNS));
      const seen = receiver.output.length;
      const sent = now();
      await connection.must(put(["dns"]));
      const answered = now() - sent;
      const last = await lastPacket(() => receiver.output.slice(seen)) - sent;
      // The first one warms up.
      if (turn === 0) continue;
      answers.push(answered);
      lasts.push(last);
    }
  });
  return [{
    what: "revocation to last packet",
    ours: median(lasts),
    baseline: median(answers),
    unit: "ms",
    beside: "revocation to its answer",
    aim: 1,
  }];
}

/** By a clock that all processes share, in milliseconds. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Waits for the line that tells it. Throws after five seconds. */
async function lastPacket(output: () => string): Promise<number> {
  for (let left = 250; left > 0; left--) {
    const last = /last (\S+)/.exec(output())?.[1];
    if (last !== undefined) return Number(last);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("The flow did not end");
}
