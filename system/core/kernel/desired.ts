import type { AddressFact, VxlanOf } from "./facts.ts";
import type { PolicyRouting } from "./policy_routing.ts";
import type { Ruleset } from "./ruleset.ts";

/** The state that the kernel should be in: computed from configuration and facts, never read back. */
export interface Desired {
  readonly ruleset: Ruleset;
  readonly links: readonly DesiredLink[];
  readonly addresses: readonly DesiredAddress[];
  readonly routes: readonly DesiredRoute[];
  readonly neighbours: readonly DesiredNeighbour[];
  /** With several uplinks: how each is reached. */
  readonly policyRouting?: PolicyRouting;
  /** True once rules stand and there is something to forward between. */
  readonly forwarding: boolean;
  /** Groups that are closed by their schedule, by name; absent where none is. */
  readonly closedGroups?: ClosedGroups;
  /** What the kernel had when this was computed, to judge by and to leave alone what is gone. */
  readonly facts?: {
    /** Its links by name, with their index: one that was unplugged and comes back has another. */
    readonly links: ReadonlyMap<string, number>;
    /** Those of them that carry something. */
    readonly running?: ReadonlySet<string>;
    /** The hardware addresses, of links that have another. */
    readonly permanentMacs?: ReadonlyMap<string, string>;
    /** The ways to the outside, in the order in which they are taken. */
    readonly uplinks?: readonly UplinkPath[];
    /** Addresses (without prefix) that are not ours, such as an uplink's lease. */
    readonly addresses: readonly string[];
  };
}

/** A group that is closed by its schedule. */
export interface ClosedGroup {
  /** Its name as people write it. */
  readonly title: string;
  /** The policies that its members hold without effect. */
  readonly withheld: ReadonlySet<string>;
  /** When it opens, in the router's time zone: `07:00`, `mon 07:00`. */
  readonly opens: string;
}

/** Closed groups by name. */
export type ClosedGroups = Readonly<Record<string, ClosedGroup>>;

/** An enabled uplink whose interface exists. */
export interface UplinkPath {
  /** Name of the entry among the interfaces. */
  readonly name: string;
  /** The interface of its packets: its own, or that of its PPPoE connection. */
  readonly link: string;
  /** Number of its routing table, and of its mark on connections. */
  readonly table: number;
  /** The router's address there, with its prefix; null while there is none. */
  readonly address: string | null;
  /** The gateway; null on a point-to-point interface. */
  readonly via: string | null;
  /** The gateway is on-link but outside the network of the address: it has a host route. */
  readonly gatewayOutside?: true;
  /** It has an address, and a gateway where one is needed. */
  readonly hasGateway: boolean;
  /** It has a carrier. */
  readonly running: boolean;
  /** Carrier changes to up (`carrier_up_count`); null where unknown. */
  readonly carrierUps: number | null;
  /** It has a carrier, and health checks do not report it as down. */
  readonly isHealthy: boolean;
  /** Its weight for new connections; 0: standby. */
  readonly weight: number;
  /** The MTU that its lease sets, if any. */
  readonly mtu: number | null;
  /** The current MTU of its interface; null where unknown. */
  readonly linkMtu: number | null;
}

export interface DesiredLink {
  readonly name: string;
  /** Made by us, or there already. */
  readonly create: "dummy" | "bridge" | "vlan" | "vxlan" | null;
  /** Of a VLAN: the link that carries it, and its tag (1–4094). */
  readonly vlan?: VlanOf;
  /** Of a VXLAN: its number and its other end. */
  readonly vxlan?: VxlanOf;
  /** It is a port of this bridge, and reaches only ports that are not isolated. */
  readonly port?: BridgePort;
  /** The MAC address, where it differs from the hardware's. */
  readonly mac?: string;
  /** Bytes of a packet, where that is known; the kernel's own choice otherwise. */
  readonly mtu?: number;
  readonly up: boolean;
}

/** Where a VLAN is: the link that carries it, and its tag (1–4094). */
export interface VlanOf {
  readonly parent: string;
  readonly tag: number;
}

/** A link as a port of a bridge. */
export interface BridgePort {
  readonly bridge: string;
  /** Frames pass between it and ports that are not isolated, and no others (bridge(8), `isolated`). */
  readonly isolated: boolean;
}

/** An address that a link is to have. */
export interface DesiredAddress extends AddressFact {
  /** Another program, such as the system's DHCP client, may have set it already. */
  readonly mayBeThere?: true;
}

export interface DesiredRoute {
  readonly destination: string;
  readonly via: string | null;
  readonly link: string;
}

/** A permanent neighbour entry: ties a device's IP address to its MAC address on its link. */
export interface DesiredNeighbour {
  readonly address: string;
  readonly link: string;
  readonly mac: string;
}
