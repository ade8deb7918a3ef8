import { UPLINK } from "../kit/lab/lab.ts";
import { eventually } from "../kit/lab/bed.ts";
import { LAB_PASSWORD } from "../kit/lab/router.ts";
import { MACHINES, type UplinkLab, withUplinks } from "../kit/lab/uplinks.ts";
import { Connection } from "./connection.ts";
import { median, type Row } from "./table.ts";
import { toolStarter, ToolStarts } from "./tool_starts.ts";

const PULLS = 3;
const READS = 21;

/** A pulled cable until new connections leave by the other uplink, and what the kernel has, read. */
export async function links(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  await withUplinks({ name: "benchup" }, async (bed) => {
    rows.push(await failover(bed));
    rows.push(...await reads(bed));
  });
  return rows;
}

async function bothUsed(bed: UplinkLab): Promise<string> {
  let found = "";
  await eventually("both uplinks are used", async () => {
    const seen = await Promise.all(
      MACHINES.map(async (machine) => [machine, await bed.seen(machine)] as const),
    );
    found = seen.find(([, by]) => by !== null && by !== UPLINK)?.[0] ?? "";
    return found !== "" && seen.some(([, by]) => by === UPLINK);
  });
  return found;
}

async function failover(bed: UplinkLab): Promise<Row> {
  const ours: number[] = [];
  const kernel: number[] = [];
  for (let turn = 0; turn < PULLS; turn++) {
    const machine = await bothUsed(bed);
    const monitor = bed.lab.spawn("router", "ip", ["-o", "monitor", "link"]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const pulled = performance.now();
    const reported = monitor.line(/ wan1[@:].*NO-CARRIER/).then(() => performance.now() - pulled);
    await bed.plug("wan1", false);
    // A longer timeout would add itself to what is measured.
    while (await bed.seen(machine, 0.05) !== UPLINK) {
      if (performance.now() - pulled > 30_000) throw new Error("Nothing moved within 30 seconds");
    }
    ours.push(performance.now() - pulled);
    kernel.push(await reported);
    await monitor.stop();
    await bed.plug("wan1", true);
  }
  return {
    what: "pulled cable to a connection by the other uplink",
    ours: median(ours),
    baseline: median(kernel),
    unit: "ms",
    beside: "the kernel's word that it is pulled",
  };
}

async function reads({ lab, router }: UplinkLab): Promise<readonly Row[]> {
  using connection = await Connection.open(router.openDoor().url.replace("http://", ""));
  const headers = await connection.signIn(LAB_PASSWORD);
  await using starter = await toolStarter(lab.space("router"));
  using tools = new ToolStarts(starter.folder);
  const rows: Row[] = [];
  for (
    const [path, args] of [
      ["/ip/addr", ["-j", "address", "show"]],
      ["/arp", ["-j", "neighbour", "show"]],
    ] as const
  ) {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let turn = 0; turn <= READS; turn++) {
      const answer = await taken(() =>
        connection.must(connection.request("GET", path, { headers }))
      );
      const tool = await tools.start(["ip", ...args]);
      // The first one warms up.
      if (turn === 0) continue;
      ours.push(answer);
      theirs.push(tool);
    }
    rows.push({
      what: `GET ${path}`,
      ours: median(ours),
      baseline: median(theirs),
      unit: "ms",
      beside: `ip ${args.join(" ")}`,
    });
  }
  return rows;
}

async function taken(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
