import type { DesiredRoute } from "../../../core/kernel/desired.ts";
import { VXLAN_PORT } from "../../../core/kernel/facts.ts";
import type { IpOp } from "../../../core/kernel/plan.ts";
import type { IpRule, PolicyRoute } from "../../../core/kernel/policy_routing.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { ipLine, PRIORITY } from "./ip_line.ts";
import {
  ADDRESS_OURS,
  AF,
  BODY,
  BRIDGE_PORT,
  FLAG,
  FRA,
  IFA,
  IFF,
  IFLA,
  MAIN,
  MESSAGE,
  NDA,
  NEIGHBOUR_PERMANENT,
  ROUTE,
  RTA,
  SCOPE,
  STATIC,
  TO_TABLE,
  VXLAN,
} from "./constants.ts";
import {
  attribute,
  nestedAttribute,
  numberAttribute,
  type Request,
  textAttribute,
} from "../message.ts";
import { addressBytes, macBytes } from "./values.ts";

/** A change of links, addresses, routes, rules or neighbours, but no sysctl. */
export type RtOp = Exclude<IpOp, { readonly op: "set-loose-rp-filter" }>;

/** There is no link of this name. */
export class NoSuchLink extends Error {
  override readonly name = "NoSuchLink";
}

const CREATE = FLAG.ack | FLAG.create | FLAG.exclusive;
const REPLACE = FLAG.ack | FLAG.create | FLAG.replace;

/**
 * The message of an operation: what ip(8) sends for {@link ipLine}, with Sluice as the protocol of an
 * address. `indexOf` returns a link's index, 0 for none. Throws Problem 400 for invalid arguments;
 * NoSuchLink.
 */
export function opRequest(op: RtOp, indexOf: (link: string) => number): Request {
  // Checks the grammar of every argument.
  ipLine(op);
  const index = (link: string): number => {
    const found = indexOf(link);
    if (found === 0) throw new NoSuchLink(`Cannot find device "${link}"`);
    return found;
  };
  switch (op.op) {
    case "add-link":
      return newLink(op.name, op.kind, []);
    case "add-vlan": {
      const { parent, tag } = op.vlan;
      const data = [attribute(IFLA.vlanId, [tag & 255, tag >> 8])];
      return newLink(op.name, "vlan", [numberAttribute(IFLA.link, index(parent))], data);
    }
    case "add-vxlan": {
      const { id, remote } = op.vxlan;
      return newLink(op.name, "vxlan", [], [
        numberAttribute(VXLAN.id, id),
        attribute(VXLAN.remote, addressBytes(remote)!),
        attribute(VXLAN.learning, [0]),
        attribute(VXLAN.port, [VXLAN_PORT >> 8, VXLAN_PORT & 255]),
      ]);
    }
    case "set-bridge": {
      const bridge = op.bridge === null ? 0 : index(op.bridge);
      return setLink(index(op.name), [numberAttribute(IFLA.master, bridge)]);
    }
    case "set-isolated":
      return setLink(index(op.name), [
        nestedAttribute(IFLA.info, [
          attribute(IFLA.infoPortKind, new TextEncoder().encode("bridge")),
          nestedAttribute(IFLA.infoPortData, [
            attribute(BRIDGE_PORT.isolated, [op.isolated ? 1 : 0]),
          ]),
        ]),
      ]);
    case "set-mac":
      return setLink(index(op.name), [attribute(IFLA.address, macBytes(op.mac))]);
    case "set-mtu":
      return setLink(index(op.name), [numberAttribute(IFLA.mtu, op.mtu)]);
    case "set-link": {
      const request = setLink(index(op.name), []);
      const view = new DataView(request.body.buffer);
      view.setUint32(8, op.up ? IFF.up : 0, true);
      view.setUint32(12, IFF.up, true);
      return request;
    }
    case "delete-link":
      return { ...setLink(index(op.name), []), type: MESSAGE.deleteLink };
    case "add-address":
      return addressRequest(op.address, index(op.link), {
        type: MESSAGE.newAddress,
        flags: op.mayBeThere ? REPLACE : CREATE,
      });
    case "delete-address":
      return addressRequest(op.address, index(op.link), {
        type: MESSAGE.deleteAddress,
        flags: FLAG.ack,
      });
    case "replace-route":
    case "delete-route": {
      const route = { ...op.route, table: MAIN, metric: 0 };
      return routeRequest(route, index(route.link), op.op === "replace-route");
    }
    case "replace-policy-route":
    case "delete-policy-route": {
      const { table, ...policyRoute } = op.policyRoute;
      const route = {
        ...policyRoute,
        destination: "default",
        table: table === "main" ? MAIN : table,
      };
      return routeRequest(route, index(policyRoute.link), op.op === "replace-policy-route");
    }
    case "add-rule":
    case "delete-rule":
      return ruleRequest(op.rule, op.op === "add-rule");
    case "replace-neighbour": {
      const { address, link, mac } = op.neighbour;
      const request = neighbourRequest(address, index(link), [
        attribute(NDA.lladdr, macBytes(mac)),
      ]);
      return { ...request, type: MESSAGE.newNeighbour, flags: REPLACE };
    }
    case "delete-neighbour":
      return neighbourRequest(op.address, index(op.link), []);
  }
}

function newLink(
  name: string,
  kind: string,
  attributes: readonly (readonly number[])[],
  data: readonly (readonly number[])[] = [],
): Request {
  return {
    type: MESSAGE.newLink,
    flags: CREATE,
    body: new Uint8Array(BODY.link),
    attributes: [
      ...attributes,
      textAttribute(IFLA.name, name),
      nestedAttribute(IFLA.info, [
        attribute(IFLA.infoKind, new TextEncoder().encode(kind)),
        ...(data.length === 0 ? [] : [nestedAttribute(IFLA.infoData, data)]),
      ]),
    ],
  };
}

function setLink(index: number, attributes: readonly (readonly number[])[]): Request {
  const body = new Uint8Array(BODY.link);
  new DataView(body.buffer).setInt32(4, index, true);
  return { type: MESSAGE.newLink, flags: FLAG.ack, body, attributes };
}

function addressRequest(
  text: string,
  index: number,
  what: Pick<Request, "type" | "flags">,
): Request {
  const [host = "", prefix = ""] = text.split("/");
  const bytes = bytesOf(host);
  const body = new Uint8Array(BODY.address);
  body[0] = familyOf(bytes);
  body[1] = Number(prefix);
  // As ip(8) does: loopback addresses have host scope.
  const loopback = what.type === MESSAGE.newAddress && bytes.length === 4 && bytes[0] === 127;
  body[3] = loopback ? SCOPE.host : SCOPE.universe;
  new DataView(body.buffer).setUint32(4, index, true);
  return {
    ...what,
    body,
    attributes: [
      attribute(IFA.local, bytes),
      attribute(IFA.address, bytes),
      ...(what.type === MESSAGE.newAddress ? [attribute(IFA.protocol, [ADDRESS_OURS])] : []),
    ],
  };
}

function routeRequest(
  route: DesiredRoute & Pick<PolicyRoute, "metric"> & { readonly table: number },
  index: number,
  replace: boolean,
): Request {
  const via = route.via === null ? null : bytesOf(route.via);
  const [host = "", prefix = ""] = route.destination.split("/");
  const to = route.destination === "default" ? null : bytesOf(host);
  if (via !== null && to !== null && via.length !== to.length) {
    throw new Problem(400, `${route.via} is no gateway for ${route.destination}`);
  }
  const body = new Uint8Array(BODY.route);
  body[0] = familyOf(to ?? via ?? new Uint8Array(4));
  body[1] = to === null ? 0 : Number(prefix);
  body[4] = route.table;
  body[5] = STATIC;
  // IPv6 routes have no scope.
  if (body[0] === AF.inet) {
    body[6] = !replace ? SCOPE.nowhere : via === null ? SCOPE.link : SCOPE.universe;
  }
  body[7] = replace ? ROUTE.unicast : 0;
  return {
    type: replace ? MESSAGE.newRoute : MESSAGE.deleteRoute,
    flags: replace ? REPLACE : FLAG.ack,
    body,
    attributes: [
      ...(to === null ? [] : [attribute(RTA.destination, to)]),
      ...(via === null ? [] : [attribute(RTA.gateway, via)]),
      ...(route.metric === 0 ? [] : [numberAttribute(RTA.priority, route.metric)]),
      numberAttribute(RTA.oif, index),
    ],
  };
}

function ruleRequest(rule: IpRule, add: boolean): Request {
  const body = new Uint8Array(BODY.rule);
  body[0] = AF.inet;
  body[4] = rule.kind === "local" ? MAIN : rule.table;
  body[7] = add ? TO_TABLE : 0;
  const attributes = [numberAttribute(FRA.priority, PRIORITY[rule.kind])];
  switch (rule.kind) {
    case "local":
      attributes.push(numberAttribute(FRA.suppressPrefix, 0));
      break;
    case "link":
      attributes.push(textAttribute(FRA.oifName, rule.link));
      break;
    case "mark":
      attributes.push(numberAttribute(FRA.mark, rule.table));
      break;
    case "source": {
      const bytes = bytesOf(rule.address);
      body[0] = familyOf(bytes);
      body[2] = bytes.length * 8;
      attributes.push(attribute(FRA.source, bytes));
    }
  }
  return {
    type: add ? MESSAGE.newRule : MESSAGE.deleteRule,
    flags: add ? CREATE : FLAG.ack,
    body,
    attributes,
  };
}

function neighbourRequest(
  text: string,
  index: number,
  attributes: readonly (readonly number[])[],
): Request {
  const bytes = bytesOf(text);
  const body = new Uint8Array(BODY.neighbour);
  body[0] = familyOf(bytes);
  const view = new DataView(body.buffer);
  view.setInt32(4, index, true);
  view.setUint16(8, NEIGHBOUR_PERMANENT, true);
  return {
    type: MESSAGE.deleteNeighbour,
    flags: FLAG.ack,
    body,
    attributes: [attribute(NDA.destination, bytes), ...attributes],
  };
}

function bytesOf(text: string): Uint8Array {
  const bytes = addressBytes(text);
  if (bytes === null) throw new Problem(400, `${JSON.stringify(text)} is no IP address`);
  return bytes;
}

function familyOf(bytes: Uint8Array): number {
  return bytes.length === 4 ? AF.inet : AF.inet6;
}
