import type { Config } from "../system/config.ts";
import * as z from "zod";
import type { ChangeEngine } from "../system/core/engine/change.ts";
import { InterfaceName } from "../system/core/net/grammar.ts";
import type { ForeignServers } from "../system/dhcp/server/foreign_servers.ts";
import { activeAdmissions, setAdmission } from "../system/dhcp/admission/admission_rules.ts";
import { AdmissionRequest, Admissions } from "../system/dhcp/admission/admission_schema.ts";
import { LeaseItem, leaseList } from "../system/dhcp/leases/lease_list.ts";
import { poolUse } from "../system/dhcp/leases/pool_use.ts";
import { SubnetConfig } from "../system/dhcp/schema.ts";
import { setSubnets } from "../system/dhcp/subnet_rules.ts";
import { type Route, route } from "./http/route.ts";

/** Dependencies of {@link dhcpRoutes}. */
export interface DhcpDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed">;
  /** Addresses of this machine outside the LAN subnets. */
  readonly otherAddresses: () => readonly string[];
  readonly foreign: Pick<ForeignServers, "serve">;
  /** Unix milliseconds by the trusted clock. */
  readonly now: () => number;
}

/** Size and use of a pool, in devices. */
const PoolUse = z.object({ net: z.string(), size: z.int(), used: z.int() }).meta({ id: "PoolUse" });

/** The address pools of devices. */
export function dhcpRoutes({ engine, otherAddresses, foreign, now }: DhcpDeps): Route[] {
  const common = {
    path: "/subnetConfig",
    tag: "DHCP",
    access: "auth",
    document: "dhcp",
    response: SubnetConfig,
  } as const;
  const admissions = {
    path: "/dhcp/admissions",
    tag: "DHCP",
    access: "auth",
    document: "admissions",
    response: Admissions,
  } as const;
  return [
    route(
      {
        method: "GET",
        ...common,
        summary: "Address pools and lease time",
        description:
          "Returns the networks that device addresses are taken from, the lease time, and the NTP " +
          "servers offered by DHCP. `LeaseTime` is a duration such as `24h0m0s`.",
      },
      () => engine.config.dhcp,
    ),
    route({
      method: "PUT",
      ...common,
      summary: "Set the address pools and the lease time",
      description:
        "Devices whose address is no longer in a pool get a new one at their next DHCP request. A " +
        "pool that overlaps another network of the router is refused with 409.",
      body: SubnetConfig,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dhcp.set",
        summary: `Set the DHCP pools to ${call.body.TinyNets.join(", ")}`,
        reduce: (config) => setSubnets(config, call.body, otherAddresses()),
      }, (result) => result)),
    route({
      method: "GET",
      path: "/dhcp/leases",
      compresses: true,
      tag: "DHCP",
      access: "auth",
      summary: "DHCP leases",
      description:
        "Lists the devices that have an address, with their interface and lease times in unix " +
        "milliseconds.",
      response: z.object({ items: z.array(LeaseItem) }),
    }, () => ({ items: leaseList(engine.config, engine.observed) })),
    route({
      method: "GET",
      path: "/dhcp/pools",
      tag: "DHCP",
      access: "auth",
      summary: "Size and use of each DHCP pool",
      description: "Counts in devices, not in addresses: every device has a /30 of its own.",
      response: z.object({ items: z.array(PoolUse) }),
    }, () => ({ items: poolUse(engine.config) })),
    route({
      method: "GET",
      ...admissions,
      summary: "Interfaces that admit unknown devices without limit",
      description: "`Until` is unix seconds. Expired entries are left out.",
    }, () => ({ Open: [...activeAdmissions(engine.config.admissions, now())] })),
    route({
      method: "PUT",
      ...admissions,
      summary: "Admit unknown devices on an interface for a while",
      description:
        "Lifts the limit on new unknown devices of the interface for `Minutes`; 0 restores the " +
        "limit at once. Admitted devices still have no access until they are approved.",
      body: AdmissionRequest,
      errors: [409, 412],
    }, (call) => {
      const { Interface, Minutes } = call.body;
      const at = now();
      return call.decide({
        kind: "dhcp.admission",
        summary: Minutes === 0
          ? `Limited unknown devices on ${Interface} again`
          : `Admitted unknown devices on ${Interface} for ${Minutes} min`,
        reduce: (config) => setAdmission(config, call.body, at),
      }, (result) => result);
    }),
    route({
      method: "PUT",
      path: "/dhcp/serve",
      tag: "DHCP",
      access: "auth",
      summary: "Enable DHCP although another DHCP server answers",
      description:
        "DHCP pauses on an interface where another DHCP server is found. This resumes it there and " +
        "resolves the notice.",
      body: z.object({ interface: InterfaceName }),
    }, ({ body, caller }) => foreign.serve(body.interface, caller.by)),
  ];
}
