import type { Capabilities } from "../../core/kernel/facts.ts";
import { VXLAN_PORT } from "../../core/kernel/facts.ts";
import type { Nft } from "../nft/nftables.ts";
import { run, toolMessage } from "../tools/run.ts";

/**
 * More transmit queues than any link may have (net/core/rtnetlink.c allows 4096): the kernel looks the
 * kind up first, loading its module, and then refuses, so nothing is created.
 */
const IMPOSSIBLE_QUEUES = "99999";

const FLOWTABLE_PROBE = `add table inet sluice_probe
add flowtable inet sluice_probe probe { hook ingress priority 0; }
`;

/** Probes what this kernel supports. Nothing is left behind. */
export async function probeCapabilities(nft: Nft): Promise<Capabilities> {
  const [dummy, bridge, vlan, vxlan, wireguard, flowtable] = await Promise.all([
    canCreateLink(["dummy"]),
    canCreateLink(["bridge"]),
    canCreateLink(["vlan", "id", "1"]),
    canCreateLink(["vxlan", "id", "1", "dstport", String(VXLAN_PORT)]),
    canCreateLink(["wireguard"]),
    nft.check(FLOWTABLE_PROBE).then((text) => text === null),
  ]);
  return { dummy, bridge, vlan, vxlan, wireguard, flowtable };
}

async function canCreateLink(type: readonly string[]): Promise<boolean> {
  const result = await run("ip", {
    args: [
      ...["link", "add", "link", "lo", "name", "sluice-probe"],
      ...["numtxqueues", IMPOSSIBLE_QUEUES, "type", ...type],
    ],
  });
  if (result.ok) {
    // A kernel without the limit really created it.
    await run("ip", { args: ["link", "delete", "dev", "sluice-probe"] });
    return true;
  }
  return !/Unknown device type|not supported|not permitted/i.test(toolMessage(result));
}
