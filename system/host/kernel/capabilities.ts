import type { Capabilities } from "../../core/kernel/host.ts";
import type { Nft } from "../nft/nftables.ts";
import { run, toolWords } from "../tools/run.ts";

/**
 * More transmit queues than any link may have (net/core/rtnetlink.c allows 4096): the kernel looks the
 * kind up first, loading its module, and then refuses, so that asking makes nothing.
 */
const IMPOSSIBLE_QUEUES = "99999";

const FLOWTABLE_PROBE = `add table inet sluice_probe
add flowtable inet sluice_probe probe { hook ingress priority 0; }
`;

/** Finds out what this kernel can do. Nothing is left behind. */
export async function probeCapabilities(nft: Nft): Promise<Capabilities> {
  const [dummy, bridge, vlan, wireguard, flowtable] = await Promise.all([
    canMake(["dummy"]),
    canMake(["bridge"]),
    canMake(["vlan", "id", "1"]),
    canMake(["wireguard"]),
    nft.check(FLOWTABLE_PROBE).then((words) => words === null),
  ]);
  return { dummy, bridge, vlan, wireguard, flowtable };
}

async function canMake(type: readonly string[]): Promise<boolean> {
  const result = await run("ip", {
    args: [
      ...["link", "add", "link", "lo", "name", "sluice-probe"],
      ...["numtxqueues", IMPOSSIBLE_QUEUES, "type", ...type],
    ],
  });
  if (result.ok) {
    // A kernel without the limit really made it.
    await run("ip", { args: ["link", "delete", "dev", "sluice-probe"] });
    return true;
  }
  return !/Unknown device type|not supported|not permitted/i.test(toolWords(result));
}
