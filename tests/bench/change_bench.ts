import { join } from "node:path";
import type { Config } from "../../system/config.ts";
import { Bus } from "../../system/core/events/bus.ts";
import type { Command } from "../../system/core/engine/change.ts";
import { type Engine, openEngine } from "../../system/core/engine/engine.ts";
import { openLog } from "../../system/core/log/log.ts";
import { openStore } from "../../system/core/store/open.ts";
import type { Policy } from "../../system/devices/policies.ts";
import { documents } from "../../system/documents.ts";
import { memoryHost } from "../../system/host/memory/host.ts";
import { networkPlanner } from "../../system/network/planner.ts";
import { Notices } from "../../system/notices/board.ts";
import { writeLargeHome } from "../kit/builders/large_home.ts";

const planner = networkPlanner();

const caller = { by: "admin", from: null, connection: null };

let turn = 0;
const home = await Deno.makeTempDir({ prefix: "sluice-bench-" });
const identities = await writeLargeHome(home, { devices: 1000, groups: 200 });
const store = await openStore(join(home, "state", "sluice.db"));
const engine = await open();

/** An engine over the large home and a model of the kernel. */
async function open(): Promise<Engine<Config>> {
  const bus = new Bus();
  return await openEngine({
    documents,
    home,
    db: store.db,
    host: memoryHost(),
    planner,
    bus,
    notices: new Notices({ db: store.db, bus }),
    log: openLog({ process: "bench", human: true, write: () => {} }),
    live: false,
  });
}

function nextPolicies(): Command<Config> {
  const identity = identities[turn++ % identities.length]!;
  return {
    kind: "bench",
    summary: "Switch policies",
    reduce: (config) => {
      const device = config.devices[identity]!;
      const Policies: Policy[] = device.Policies.includes("wan") ? ["dns"] : ["wan", "dns"];
      const devices = { ...config.devices, [identity]: { ...device, Policies } };
      return [{ ...config, devices }, undefined];
    },
  };
}

Deno.bench("a durable policy write at 1,000 devices", async () => {
  await engine.change(nextPolicies(), { caller });
});

Deno.bench("50 policy writes at once at 1,000 devices", async () => {
  await Promise.all(Array.from({ length: 50 }, () => engine.change(nextPolicies(), { caller })));
});

Deno.bench("the preview of a policy write at 1,000 devices", async () => {
  await engine.preview(nextPolicies(), { caller });
});

globalThis.addEventListener("unload", () => {
  store.close();
  Deno.removeSync(home, { recursive: true });
});
