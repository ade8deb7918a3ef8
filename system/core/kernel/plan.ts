import type { DesiredNeighbour, DesiredRoute, VlanOf } from "./desired.ts";
import type { VxlanOf } from "./facts.ts";
import type { IpRule, PolicyRoute } from "./policy_routing.ts";
import type { Chain, Element, NftSet, Ruleset, Table } from "./ruleset.ts";

/** One change of the ruleset; a list of them is one kernel transaction, in this order. */
export type RulesetOp =
  | { readonly op: "add-table"; readonly table: Table }
  | { readonly op: "delete-table"; readonly family: string; readonly table: string }
  | {
    readonly op: "add-set";
    readonly family: string;
    readonly table: string;
    readonly set: NftSet;
  }
  | {
    readonly op: "delete-set";
    readonly family: string;
    readonly table: string;
    readonly set: string;
  }
  | {
    readonly op: "add-elements" | "delete-elements";
    readonly family: string;
    readonly table: string;
    readonly set: string;
    readonly elements: readonly Element[];
    /** Types of the set; without them each part is written as what it looks like. */
    readonly shape?: Pick<NftSet, "key" | "value" | "interval">;
  }
  | {
    readonly op: "add-chain" | "replace-rules";
    readonly family: string;
    readonly table: string;
    readonly chain: Chain;
  }
  | {
    readonly op: "delete-chain";
    readonly family: string;
    readonly table: string;
    readonly chain: string;
  };

/** One change of links, addresses, routes or neighbours (a line of `ip -batch`). */
export type IpOp =
  | { readonly op: "add-link"; readonly name: string; readonly kind: "dummy" | "bridge" }
  | { readonly op: "add-vlan"; readonly name: string; readonly vlan: VlanOf }
  | { readonly op: "add-vxlan"; readonly name: string; readonly vxlan: VxlanOf }
  /** Makes a link a port of a bridge; null: of none. */
  | { readonly op: "set-bridge"; readonly name: string; readonly bridge: string | null }
  | { readonly op: "set-isolated"; readonly name: string; readonly isolated: boolean }
  /** Many interfaces take another MAC address only while their link is down. */
  | { readonly op: "set-mac"; readonly name: string; readonly mac: string }
  | { readonly op: "set-mtu"; readonly name: string; readonly mtu: number }
  /** Replies may come in by another link than the kernel's main table would take (RFC 3704 2.4). */
  | { readonly op: "set-loose-rp-filter"; readonly name: string }
  | { readonly op: "delete-link"; readonly name: string }
  | { readonly op: "set-link"; readonly name: string; readonly up: boolean }
  | {
    readonly op: "add-address" | "delete-address";
    readonly link: string;
    readonly address: string;
    readonly mayBeThere?: true;
  }
  | { readonly op: "replace-route" | "delete-route"; readonly route: DesiredRoute }
  | {
    readonly op: "replace-policy-route" | "delete-policy-route";
    readonly policyRoute: PolicyRoute;
  }
  | { readonly op: "add-rule" | "delete-rule"; readonly rule: IpRule }
  | { readonly op: "replace-neighbour"; readonly neighbour: DesiredNeighbour }
  | { readonly op: "delete-neighbour"; readonly address: string; readonly link: string };

/**
 * One step of a plan. A `ruleset` or `load` step is atomic in the kernel; an `ip` step stops at its
 * first failing line, so that what took effect must be read back.
 */
export type KernelStep =
  | { readonly kind: "ruleset"; readonly ops: readonly RulesetOp[] }
  /** Replaces all of our tables by this ruleset, in one transaction. */
  | { readonly kind: "load"; readonly ruleset: Ruleset }
  | { readonly kind: "ip"; readonly ops: readonly IpOp[] }
  | { readonly kind: "forwarding"; readonly on: boolean };

/** Steps in the order that never widens access: take away, move, give. */
export interface KernelPlan {
  readonly steps: readonly KernelStep[];
  /** Addresses whose running connections must be judged again once the steps stand. */
  readonly recheck: readonly string[];
}
