import { deleteRule, putRule } from "../../system/firewall/rules.ts";
import { RULE_KINDS } from "../../system/firewall/rule_kinds.ts";
import { EndpointName, MulticastPortName, ServicePortName } from "../../system/firewall/wire.ts";
import { type Route, route } from "../http/route.ts";
import { FIREWALL } from "./deps.ts";

/** Rules that are known by a port or a name: the router's own ports, multicast, endpoints. */
export function firewallPortRoutes(): Route[] {
  return [...servicePorts(), ...multicastPorts(), ...endpoints()];
}

function servicePorts(): Route[] {
  const common = { path: RULE_KINDS.ServicePorts.path, ...FIREWALL } as const;
  return [
    route({
      method: "PUT",
      ...common,
      summary: "Open a port of the router",
      description: "Opens a port of the router itself to LAN interfaces, and to uplinks with " +
        "`UpstreamEnabled`. Closing the port that the caller uses is refused with 409 unless " +
        "forced.",
      body: RULE_KINDS.ServicePorts.shape,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.service_port.set",
        summary: `Opened port ${call.body.Port} of the router to ` +
          (call.body.UpstreamEnabled ? "LAN and WAN" : "the LAN"),
        reduce: (config) => putRule(config, "ServicePorts", call.body),
      })),
    route({
      method: "DELETE",
      ...common,
      summary: "Close a port of the router",
      description:
        "Deletes the service port with this protocol and number. Refused with 409 when the caller " +
        "is connected through it, unless forced.",
      body: ServicePortName,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.service_port.delete",
        summary: `Closed port ${call.body.Port} of the router`,
        reduce: (config) =>
          deleteRule(config, "ServicePorts", `${call.body.Protocol} ${call.body.Port}`),
      })),
  ];
}

function multicastPorts(): Route[] {
  const common = { path: RULE_KINDS.MulticastPorts.path, ...FIREWALL } as const;
  return [
    route({
      method: "PUT",
      ...common,
      summary: "Accept multicast on a port",
      description:
        "Lets the router receive UDP multicast to this port from LAN interfaces, and from uplinks " +
        "with `Upstream`.",
      body: RULE_KINDS.MulticastPorts.shape,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.multicast.set",
        summary: `Opened multicast port ${call.body.Port} to ` +
          (call.body.Upstream ? "LAN and WAN" : "the LAN"),
        reduce: (config) => putRule(config, "MulticastPorts", call.body),
      })),
    route({
      method: "DELETE",
      ...common,
      summary: "Stop accepting multicast on a port",
      description: "Deletes the multicast port with this number.",
      body: MulticastPortName,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.multicast.delete",
        summary: `Closed multicast port ${call.body.Port}`,
        reduce: (config) => deleteRule(config, "MulticastPorts", call.body.Port),
      })),
  ];
}

function endpoints(): Route[] {
  const common = { path: RULE_KINDS.Endpoints.path, ...FIREWALL } as const;
  return [
    route({
      method: "PUT",
      ...common,
      summary: "Create or update an endpoint",
      description:
        "Devices with one of its tags may reach the endpoint. It is known by `RuleName`; an " +
        "existing one is replaced.",
      body: RULE_KINDS.Endpoints.shape,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.endpoint.set",
        summary: `Saved endpoint ${call.body.RuleName}`,
        reduce: (config) => putRule(config, "Endpoints", call.body),
      })),
    route({
      method: "DELETE",
      ...common,
      summary: "Delete an endpoint",
      description:
        "Deletes the endpoint with this `RuleName`. Devices lose the access that it gave, and their " +
        "connections to it end.",
      body: EndpointName,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "firewall.endpoint.delete",
        summary: `Deleted endpoint ${call.body.RuleName}`,
        reduce: (config) => deleteRule(config, "Endpoints", call.body.RuleName),
      })),
  ];
}
