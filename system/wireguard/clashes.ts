import type { Config } from "../config.ts";
import { forwardedPort, serviceOfPort } from "../firewall/own_ports.ts";
import { type MeshPort, meshPorts } from "../mesh/network.ts";
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
  return [...twice, ...portsTaken({ firewall, multicast }, openPorts(wireguard))];
}

/** Ports of the mesh that something else of this router takes: a service, or a port forward. */
export function meshClashes({ mesh, firewall, multicast }: Around): readonly string[] {
  return portsTaken({ firewall, multicast }, meshPorts(mesh));
}

function portsTaken(
  { firewall, multicast }: Pick<Around, "firewall" | "multicast">,
  ports: readonly (Omit<MeshPort, "protocol"> & Partial<MeshPort>)[],
): readonly string[] {
  return ports.flatMap(({ port, name, protocol = "udp" }) => {
    const listens = `${name} listens on ${protocol.toUpperCase()} port ${port}`;
    const service = protocol === "udp" ? serviceOfPort(multicast, port) : undefined;
    const forward = forwardedPort(firewall.ForwardingRules, protocol, port);
    return [
      ...(service === undefined ? [] : [`${listens}, as does: ${service}`]),
      ...(forward === undefined
        ? []
        : [`${listens}, which a port forward leads to ${forward.DstIP}`]),
    ];
  });
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
