import { writeLargeHome } from "../../kit/builders/large_home.ts";
import { buildLab } from "../../kit/lab/lab.ts";
import { startRouter } from "../../kit/lab/router.ts";
import { inFolder, until } from "../../kit/process.ts";
import { usages } from "./process_memory.ts";
import type { Row } from "../table.ts";

/** Milliseconds after everything is applied until the processes count as at rest. */
const REST = 10_000;
/** MB that all processes of a wired router may take. */
const MOST = 170;
/** Those of a wired router. */
const SERVICES = "dhcpd,dnsd,multicastd,uplinkd";

/**
 * What the processes of a wired router with 250 devices take at rest, on the kernel: memory that they
 * share is counted in parts (PSS), so that the sum is what the machine has less.
 */
export async function wiredMemory(): Promise<readonly Row[]> {
  return await inFolder(async (home) => {
    await writeLargeHome(home, { devices: 250, groups: 20, link: "cl-a" });
    const lab = await buildLab({ clients: 1, name: "benchmem" });
    try {
      const router = await startRouter(lab, { home, services: SERVICES });
      try {
        await until(
          "the network is applied",
          async () => (await router.api("GET", "/network")).json.state === "applied",
        );
        await new Promise((resolve) => setTimeout(resolve, REST));
        const found = await usages(lab);
        const row = (name: string, ours: number): Row => ({
          what: `memory of a wired router, ${name}`,
          ours,
          baseline: MOST,
          unit: "MB",
          beside: "what all may take, PSS",
        });
        const all = found.reduce((sum, { pss }) => sum + pss, 0);
        return [
          ...found.map(({ name, pss }) => row(name, pss)),
          { ...row(`all ${found.length} processes`, all), aim: 1 },
        ];
      } finally {
        await router.close();
      }
    } finally {
      await lab.close();
    }
  });
}
