import assert from "node:assert/strict";
import { UPLINK } from "../../kit/lab/lab.ts";
import { eventually } from "../../kit/lab/bed.ts";
import { pidsOf, programsIn } from "../../kit/lab/pids.ts";
import { MACHINES, type UplinkLab, withUplinks } from "../../kit/lab/uplinks.ts";

interface Outage {
  readonly Iface: string;
  readonly Start: number;
  readonly End: number;
}

async function areUsed({ router }: UplinkLab): Promise<readonly string[]> {
  const all = (await router.api("GET", "/wan/status")).json as readonly {
    readonly Iface: string;
    readonly Active: boolean;
    readonly Up: boolean;
  }[];
  return all.filter(({ Active, Up }) => Active && Up).map(({ Iface }) => Iface);
}

async function outages({ router }: UplinkLab): Promise<readonly Outage[]> {
  return (await router.api("GET", "/wan/outages")).json;
}

/** By which of its addresses the router reaches machines of the Internet. */
async function policyRouting(bed: UplinkLab): Promise<readonly string[]> {
  const seen = await Promise.all(MACHINES.map((one) => bed.seen(one).then((by) => by ?? "none")));
  return [...new Set(seen)].sort();
}

async function kill({ lab }: UplinkLab, names: readonly string[]): Promise<void> {
  for (const name of names) {
    for (const pid of await pidsOf(lab, name)) Deno.kill(pid, "SIGKILL");
  }
}

/** Whom to kill, and how many milliseconds after the cable is pulled or put back. */
const POINTS: readonly (readonly [readonly string[], number, number])[] = [
  [["netd"], 0, 30],
  [["api"], 0, 0],
  [["api"], 120, 300],
  [["netd", "uplinkd", "api"], 60, 900],
];

Deno.test("a failover completes and is recorded once, whichever process is killed during it", () =>
  withUplinks({ name: "mid" }, async (bed) => {
    const { lab, router } = bed;
    const both = () =>
      eventually("both uplinks are used", async () => (await areUsed(bed)).length === 2);
    await both();
    for (const [at, [names, out, back]] of POINTS.entries()) {
      const what = `${names.join(", ")} after ${out} and ${back} ms`;
      const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      await bed.plug("wan1", false);
      await later(out);
      await kill(bed, names);
      await eventually(`${what}: all leave by the first`, async () => {
        return (await policyRouting(bed)).join() === UPLINK;
      });
      await eventually(`${what}: the outage is recorded`, async () => {
        const [latest, ...rest] = await outages(bed);
        return rest.length === at && latest?.Iface === "wan1" && latest.End === 0;
      });
      await bed.plug("wan1", true);
      await later(back);
      await kill(bed, names);
      await both();
      await eventually(`${what}: the outage has an end`, async () => {
        const list = await outages(bed);
        return list.length === at + 1 && list.every(({ End }) => End > 0);
      });
      await eventually(`${what}: the second is used again`, async () => {
        const now = await policyRouting(bed);
        return now.length === 2 && now.some((one) => one.startsWith("100.64.5."));
      });
    }
    assert.deepEqual([...new Set((await outages(bed)).map(({ Iface }) => Iface))], ["wan1"]);
    await eventually("nothing is left to tell", async () => {
      const { items } = (await router.api("GET", "/notices")).json;
      const { state, drift } = (await router.api("GET", "/network")).json;
      return items.length === 0 && state === "applied" && drift.length === 0;
    });
    await eventually("one DHCP client runs again", async () => {
      return (await programsIn(lab, "udhcpc")).length === 1;
    });
  }));
