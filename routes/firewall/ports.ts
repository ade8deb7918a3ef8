import { deleteRule, putRule } from "../../system/firewall/rules.ts";
import { Endpoint, MulticastPort, ServicePort } from "../../system/firewall/schema.ts";
import { EndpointName, MulticastPortName, ServicePortName } from "../../system/firewall/wire.ts";
import { type Route, route } from "../http/route.ts";
import { FIREWALL } from "./deps.ts";

/** Rules that are known by a port or a name: the router's own ports, multicast, endpoints. */
export function firewallPortRoutes(): Route[] {
  return [...servicePorts(), ...multicastPorts(), ...endpoints()];
}

function servicePorts(): Route[] {
  const common = { path: "/firewall/service_port", ...FIREWALL } as const;
  return [
    route({
      method: "PUT",
      ...common,
      summary: "Open a port of the router at home and, if asked, to uplinks",
      body: ServicePort,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.service_port.set",
        summary: `Open port ${call.body.Port} of the router` +
          (call.body.UpstreamEnabled ? ", also to uplinks" : " at home"),
        reduce: (config) => putRule(config, "ServicePorts", call.body),
      })),
    route({
      method: "DELETE",
      ...common,
      summary: "Close a port of the router",
      body: ServicePortName,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.service_port.delete",
        summary: `Close port ${call.body.Port} of the router`,
        reduce: (config) =>
          deleteRule(config, "ServicePorts", `${call.body.Protocol} ${call.body.Port}`),
      })),
  ];
}

function multicastPorts(): Route[] {
  const common = { path: "/firewall/multicast", ...FIREWALL } as const;
  return [
    route({
      method: "PUT",
      ...common,
      summary: "Let the router hear multicast on a port",
      body: MulticastPort,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.multicast.set",
        summary: `Hear multicast on port ${call.body.Port}` +
          (call.body.Upstream ? ", also from uplinks" : " at home"),
        reduce: (config) => putRule(config, "MulticastPorts", call.body),
      })),
    route({
      method: "DELETE",
      ...common,
      summary: "Stop the router hearing multicast on a port",
      body: MulticastPortName,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.multicast.delete",
        summary: `No longer hear multicast on port ${call.body.Port}`,
        reduce: (config) => deleteRule(config, "MulticastPorts", call.body.Port),
      })),
  ];
}

function endpoints(): Route[] {
  const common = { path: "/firewall/endpoint", ...FIREWALL } as const;
  return [
    route({
      method: "PUT",
      ...common,
      summary: "Create or update an endpoint, which devices that share a tag with it may reach",
      body: Endpoint,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.endpoint.set",
        summary: `Set the endpoint ${call.body.RuleName}`,
        reduce: (config) => putRule(config, "Endpoints", call.body),
      })),
    route({
      method: "DELETE",
      ...common,
      summary: "Delete an endpoint",
      body: EndpointName,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.endpoint.delete",
        summary: `Delete the endpoint ${call.body.RuleName}`,
        reduce: (config) => deleteRule(config, "Endpoints", call.body.RuleName),
      })),
  ];
}
