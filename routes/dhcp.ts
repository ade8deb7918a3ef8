import type { Config } from "../system/config.ts";
import { z } from "zod";
import type { ChangeEngine } from "../system/core/engine/change.ts";
import { InterfaceName } from "../system/core/net/grammar.ts";
import type { ForeignServers } from "../system/dhcp/server/foreign_servers.ts";
import { admit, openLinks } from "../system/dhcp/admission/admission_rules.ts";
import { AdmissionRequest, Admissions } from "../system/dhcp/admission/admission_schema.ts";
import { LeaseItem, leaseList } from "../system/dhcp/leases/lease_list.ts";
import { poolUse } from "../system/dhcp/leases/pool_use.ts";
import { SubnetConfig } from "../system/dhcp/schema.ts";
import { setSubnets } from "../system/dhcp/subnet_rules.ts";
import { type Route, route } from "./http/route.ts";

/** What the routes of address pools need from outside. */
export interface DhcpDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed">;
  /** Addresses that this machine has outside the home networks. */
  readonly elsewhere: () => readonly string[];
  readonly foreign: Pick<ForeignServers, "serve">;
  /** Unix milliseconds, as unknown devices are counted by. */
  readonly counted: () => number;
}

/** The address pools of devices. */
export function dhcpRoutes({ engine, elsewhere, foreign, counted }: DhcpDeps): Route[] {
  const common = {
    path: "/subnetConfig",
    tag: "DHCP",
    access: "auth",
    document: "dhcp",
    response: SubnetConfig,
  } as const;
  const newcomers = {
    path: "/dhcp/newcomers",
    tag: "DHCP",
    access: "auth",
    document: "newcomers",
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
        summary: `Lease addresses of ${call.body.TinyNets.join(", ")}`,
        reduce: (config) => setSubnets(config, call.body, elsewhere()),
      }, (result) => result)),
    route({
      method: "GET",
      path: "/dhcp/leases",
      tag: "DHCP",
      access: "auth",
      summary: "Every device that has an address, where it is and until when",
      response: z.object({ items: z.array(LeaseItem) }),
    }, () => ({ items: leaseList(engine.config, engine.observed) })),
    route({
      method: "GET",
      path: "/dhcp/pools",
      tag: "DHCP",
      access: "auth",
      summary: "How many devices each network has place for, and how many are in it",
      response: z.object({
        items: z.array(z.object({ net: z.string(), size: z.int(), used: z.int() })),
      }),
    }, () => ({ items: poolUse(engine.config) })),
    route({
      method: "GET",
      ...newcomers,
      summary: "Links on which more unknown devices than usual are let in, and until when",
    }, () => ({ Open: [...openLinks(engine.config.newcomers, counted())] })),
    route({
      method: "PUT",
      ...newcomers,
      summary: "Let unknown devices in on a link for a while, however many came within the hour",
      body: AdmissionRequest,
      errors: [409, 412],
    }, (call) => {
      const { Link, Minutes } = call.body;
      const now = counted();
      return call.decide({
        kind: "dhcp.newcomers",
        summary: Minutes === 0
          ? `Bound unknown devices on ${Link} again`
          : `Let unknown devices in on ${Link} for ${Minutes} min`,
        reduce: (config) => admit(config, call.body, now),
      }, (result) => result);
    }),
    route({
      method: "PUT",
      path: "/dhcp/serve",
      tag: "DHCP",
      access: "auth",
      summary: "Lease addresses on a downlink although another DHCP server answers there",
      body: z.object({ link: InterfaceName }),
    }, ({ body, caller }) => foreign.serve(body.link, caller.by)),
  ];
}
