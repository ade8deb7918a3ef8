import type { Wireguard } from "./schema.ts";

/** A UDP port on which a tunnel listens. */
export interface TunnelPort {
  readonly port: number;
  /** What uses it, for people. */
  readonly name: string;
}

/** The ports that sites chose, also those of sites that are off. */
export function sitePorts({ Sites }: Wireguard): readonly TunnelPort[] {
  return Sites.filter(({ ListenPort }) => ListenPort !== 0)
    .map(({ ListenPort, Name }) => ({ port: ListenPort, name: `The site ${Name}` }));
}

/** The ports that are open: those of the tunnels that are on. */
export function openPorts(wireguard: Wireguard): readonly TunnelPort[] {
  const { Enabled, PrivateKey, ListenPort, Sites } = wireguard;
  const own = Enabled && PrivateKey !== ""
    ? [{ port: ListenPort, name: "The VPN of this router" }]
    : [];
  return [...own, ...sitePorts({ ...wireguard, Sites: Sites.filter((one) => one.Enabled) })];
}
