import { writeLargeHome } from "../../kit/builders/large_home.ts";
import { buildLab } from "../../kit/lab/lab.ts";
import { startRouter } from "../../kit/lab/router.ts";
import { inFolder, until } from "../../kit/process.ts";
import { type Usage, usages } from "./process_memory.ts";
import type { Row } from "../table.ts";

/**
 * Milliseconds after everything is applied until the processes count as at rest: what their first work
 * left is freed by then.
 */
const REST = 40_000;
/** Devices of the router, and of a larger one. */
const DEVICES = 250, MORE_DEVICES = 1000;
/** MB that all processes of a wired router may take, and those of the larger one besides. */
const MOST = 170, MOST_MORE = 20;
/** The services of a wired router. */
const SERVICES = "dhcpd,dnsd,multicastd,uplinkd";

/**
 * What the processes of a wired router with 250 devices take at rest, on the kernel, and what 1,000
 * add: memory that they share is counted in parts (PSS), so that the sum is what the machine has less.
 */
export async function wiredMemory(): Promise<readonly Row[]> {
  const found = await atRest(DEVICES);
  const all = sum(found);
  const more = sum(await atRest(MORE_DEVICES)) - all;
  const row = (name: string, ours: number, baseline = MOST): Row => ({
    what: `memory of a wired router, ${name}`,
    ours,
    baseline,
    unit: "MB",
    beside: "what all may take, PSS",
  });
  return [
    ...found.map(({ name, pss }) => row(name, pss)),
    { ...row(`all ${found.length} processes`, all), aim: 1 },
    { ...row(`${MORE_DEVICES} devices add`, more, MOST_MORE), aim: 1 },
  ];
}

function sum(found: readonly Usage[]): number {
  return found.reduce((total, { pss }) => total + pss, 0);
}

async function atRest(devices: number): Promise<readonly Usage[]> {
  return await inFolder(async (home) => {
    await writeLargeHome(home, { devices, groups: 20, link: "cl-a" });
    const lab = await buildLab({ clients: 1, name: "benchmem" });
    try {
      const router = await startRouter(lab, { home, services: SERVICES });
      try {
        await until(
          "the network is applied",
          async () => (await router.api("GET", "/network")).json.state === "applied",
        );
        await new Promise((resolve) => setTimeout(resolve, REST));
        return await usages(lab);
      } finally {
        await router.close();
      }
    } finally {
      await lab.close();
    }
  });
}
