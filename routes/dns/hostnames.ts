import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { deleteHostname, hostnameOf, setHostname } from "../../system/dns/local/hostname_rules.ts";
import { HostMapping, Hostname, LanAddress } from "../../system/dns/config/schema.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes of host names need from outside. */
export interface HostnamesDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  /** Names under which the router answers. */
  readonly names: () => ReadonlySet<string>;
}

/** Bytes of a body that names an address and a condition. */
const MAX_BODY_BYTES = 8192;

const HostnameUpdate = z.strictObject({
  IPAddress: LanAddress,
  PreviousIPAddress: LanAddress.optional(),
  CreateOnly: z.boolean({ error: "Write true or false" }).optional(),
});
const HostnameDeletion = z.strictObject({ IPAddress: LanAddress.optional() });

/** Local DNS records. */
export function hostnamesRoutes({ engine, names }: HostnamesDeps): Route[] {
  const common = {
    path: "/dns/hostnames/{hostname}",
    tag: "DNS",
    access: "auth",
    document: "hostnames",
    params: z.object({ hostname: Hostname }),
  } as const;
  return [
    route({
      method: "GET",
      path: "/dns/hostnames",
      tag: "DNS",
      access: "auth",
      document: "hostnames",
      summary: "Local DNS records",
      description:
        "Lists the names that were given an address, sorted by name. Names of devices and of the " +
        "router are not listed.",
      response: z.object({ items: z.array(HostMapping) }),
    }, () => ({ items: engine.config.hostnames })),
    route({
      method: "GET",
      ...common,
      summary: "Address of a local name",
      description:
        "Resolves one local name as the router does: its own names first, then local DNS records, " +
        "then device names.",
      response: HostMapping,
      errors: [400, 404],
    }, ({ params }) => hostnameOf(engine.config, params.hostname, names())),
    route({
      method: "PUT",
      ...common,
      summary: "Add or change a local DNS record",
      description:
        "`CreateOnly` refuses a name that exists, and `PreviousIPAddress` one whose address is " +
        "another, both with 409. Only private addresses are accepted.",
      examples: { body: { IPAddress: "192.168.2.10", CreateOnly: true } },
      body: HostnameUpdate,
      maxBody: MAX_BODY_BYTES,
      response: HostMapping,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.hostname.set",
        summary: `Added DNS record ${call.params.hostname} for ${call.body.IPAddress}`,
        reduce: (config) =>
          setHostname(config, call.params.hostname, { ...call.body, own: names() }),
      }, (mapping) => mapping)),
    route({
      method: "DELETE",
      ...common,
      summary: "Delete a local DNS record",
      description: "With `IPAddress` the record is deleted only if it still has that address.",
      body: HostnameDeletion,
      bodyOptional: true,
      maxBody: MAX_BODY_BYTES,
      status: 204,
      errors: [400, 404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.hostname.delete",
        summary: `Deleted DNS record ${call.params.hostname}`,
        reduce: (config) =>
          deleteHostname(config, call.params.hostname, {
            address: call.body?.IPAddress,
            own: names(),
          }),
      }, () => new Response(null, { status: 204 }))),
  ];
}
