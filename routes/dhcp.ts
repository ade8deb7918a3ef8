import type { Config } from "../system/config.ts";
import { z } from "zod";
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

/** What the routes of address pools need from outside. */
export interface DhcpDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed">;
  /** Addresses of this machine outside the LAN subnets. */
  readonly otherAddresses: () => readonly string[];
  readonly foreign: Pick<ForeignServers, "serve">;
  /** Unix milliseconds by the trusted clock. */
  readonly now: () => number;
}

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
      { method: "GET", ...common, summary: "Address pools and lease time" },
      () => engine.config.dhcp,
    ),
    route({
      method: "PUT",
      ...common,
      summary: "Set the address pools and the lease time; devices move at their next request",
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
      tag: "DHCP",
      access: "auth",
      summary: "DHCP leases: each device's address, interface and expiry",
      response: z.object({ items: z.array(LeaseItem) }),
    }, () => ({ items: leaseList(engine.config, engine.observed) })),
    route({
      method: "GET",
      path: "/dhcp/pools",
      tag: "DHCP",
      access: "auth",
      summary: "Size and use of each DHCP pool, in devices",
      response: z.object({
        items: z.array(z.object({ net: z.string(), size: z.int(), used: z.int() })),
      }),
    }, () => ({ items: poolUse(engine.config) })),
    route({
      method: "GET",
      ...admissions,
      summary: "Interfaces that admit unknown devices without limit, and until when",
    }, () => ({ Open: [...activeAdmissions(engine.config.admissions, now())] })),
    route({
      method: "PUT",
      ...admissions,
      summary: "Lift the limit on unknown devices of an interface for a while",
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
      summary: "Enable DHCP on a LAN interface although another DHCP server answers there",
      body: z.object({ interface: InterfaceName }),
    }, ({ body, caller }) => foreign.serve(body.interface, caller.by)),
  ];
}
