import type { Config } from "../config.ts";
import { forwardedPort, serviceOfPort } from "../firewall/own_ports.ts";
import { meshTunnels } from "../mesh/tunnels.ts";
import { keyClashes } from "./key_rules.ts";
import { openPorts, sitePorts } from "./plan.ts";
import { networkOf, overlapWith, usedNetworks } from "./sites/networks.ts";

type Around = Pick<
  Config,
  "wireguard" | "dhcp" | "interfaces" | "firewall" | "multicast" | "mesh"
>;

/** What cannot be together, of the VPN and with what is around it: keys, UDP ports and networks. */
export function vpnClashes(config: Around): readonly string[] {
  return [...keyClashes(config.wireguard), ...portClashes(config), ...networkClashes(config)];
}

function portClashes({ wireguard, firewall, multicast, mesh }: Around): readonly string[] {
  const own = { port: wireguard.ListenPort, name: "The VPN of this router" };
  const seen = new Map<number, string>();
  const links = meshTunnels(mesh).map(({ outer, port }) => ({
    ...{ port, name: `The encrypted link to ${outer}` },
  }));
  const twice = [own, ...sitePorts(wireguard), ...links].flatMap(({ port, name }) => {
    const other = seen.get(port);
    seen.set(port, other ?? name);
    return other === undefined ? [] : [`${name} listens on UDP port ${port}, as does: ${other}`];
  });
  const taken = openPorts(wireguard).flatMap(({ port, name }) => {
    const service = serviceOfPort(multicast, port);
    const forward = forwardedPort(firewall.ForwardingRules, "udp", port);
    return [
      ...(service === undefined
        ? []
        : [`${name} listens on UDP port ${port}, as does: ${service}`]),
      ...(forward === undefined
        ? []
        : [`${name} listens on UDP port ${port}, which a port forward leads to ${forward.DstIP}`]),
    ];
  });
  return [...twice, ...taken];
}

function networkClashes(config: Around): readonly string[] {
  return config.wireguard.Sites.flatMap(({ Name, Networks, Address }) => {
    const used = usedNetworks(config, { site: Name, others: [] });
    const own = [...Networks, ...(Address === "" ? [] : [networkOf(Address)])];
    return own.flatMap((network) => {
      const other = overlapWith(network, used);
      return other === undefined
        ? []
        : [`${network} of the site ${Name} overlaps ${other.network}, which is ${other.use}`];
    });
  });
}
