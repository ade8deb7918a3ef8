import type { Desired } from "../../core/kernel/desired.ts";
import type { Facts } from "../../core/kernel/facts.ts";
import type { Finding } from "../../core/kernel/host.ts";
import type { IpOp } from "../../core/kernel/plan.ts";
import { ipCommand, ipRuleText } from "./describe.ts";
import { leftovers, reconcileIp } from "./reconcile.ts";

/**
 * How links, addresses, routes, neighbours and forwarding differ from a state. The kernel itself drops
 * routes and permanent neighbours of a link that goes down, so that these are repaired at once where
 * the link is up; without a permanent neighbour others could answer for a device's address.
 */
export function drift(desired: Desired, facts: Facts): readonly Finding[] {
  const up = new Set(facts.links.filter((link) => link.up).map(({ name }) => name));
  const tables = leftovers(desired, facts).flatMap((op): Finding[] =>
    op.op === "delete-table"
      ? [{
        what: `table ${op.family} ${op.table}`,
        expected: null,
        found: "a table of Sluice",
        urgent: false,
      }]
      : []
  );
  const forwarding: readonly Finding[] = desired.forwarding === facts.forwarding ? [] : [{
    what: "net.ipv4.ip_forward",
    expected: desired.forwarding ? "1" : "0",
    found: facts.forwarding ? "1" : "0",
    urgent: facts.forwarding,
  }];
  const ip = reconcileIp(desired, facts).map((op) => finding(op, facts, up));
  return [...tables, ...forwarding, ...ip];
}

function finding(op: IpOp, facts: Facts, up: ReadonlySet<string>): Finding {
  switch (op.op) {
    case "add-link":
      return missing(`link ${op.name}`, `a ${op.kind} link`);
    case "add-vlan":
      return missing(`link ${op.name}`, `VLAN ${op.vlan.tag} on ${op.vlan.parent}`);
    case "add-vxlan":
      return missing(`link ${op.name}`, `VXLAN ${op.vxlan.id} to ${op.vxlan.remote}`);
    case "set-bridge":
      return {
        what: `bridge of ${op.name}`,
        expected: op.bridge,
        found: facts.links.find(({ name }) => name === op.name)?.master ?? null,
        urgent: false,
      };
    case "set-isolated": {
      const [expected, found] = op.isolated ? ["isolated", "open"] : ["open", "isolated"];
      return { what: `bridge port ${op.name}`, expected, found, urgent: op.isolated };
    }
    case "set-mac": {
      const found = facts.links.find(({ name }) => name === op.name)?.mac ?? null;
      return { what: `MAC address of ${op.name}`, expected: op.mac, found, urgent: false };
    }
    case "set-mtu": {
      const found = facts.links.find(({ name }) => name === op.name)?.mtu;
      return {
        what: `MTU of ${op.name}`,
        expected: String(op.mtu),
        found: found === undefined ? null : String(found),
        urgent: false,
      };
    }
    case "set-loose-rp-filter":
      return missing(`rp_filter of ${op.name}`, "loose");
    case "replace-policy-route":
    case "delete-policy-route": {
      const text = ipCommand(op).replace(/^ip route (?:replace|del) /, "");
      return op.op === "replace-policy-route"
        ? { what: "route", expected: text, found: null, urgent: up.has(op.policyRoute.link) }
        : extra("route", text);
    }
    case "add-rule":
      return { what: "rule", expected: ipRuleText(op.rule), found: null, urgent: true };
    case "delete-rule":
      return extra("rule", ipRuleText(op.rule));
    case "delete-link":
      return extra(`link ${op.name}`, "a link");
    case "set-link": {
      const [expected, found] = op.up ? ["up", "down"] : ["down", "up"];
      return { what: `link ${op.name}`, expected, found, urgent: false };
    }
    case "add-address":
      return missing(`address on ${op.link}`, op.address);
    case "delete-address":
      return extra(`address on ${op.link}`, op.address);
    case "replace-route":
    case "delete-route": {
      const { destination, via, link } = op.route;
      const expected = `${destination}${via === null ? "" : ` via ${via}`} dev ${link}`;
      const other = facts.routes.find((route) => route.destination === destination);
      const found = other === undefined
        ? null
        : `${destination}${other.via === null ? "" : ` via ${other.via}`} dev ${other.link}`;
      return { what: "route", expected, found, urgent: up.has(link) };
    }
    case "replace-neighbour": {
      const { address, link, mac } = op.neighbour;
      const other = facts.neighbours.find((one) => one.address === address && one.link === link);
      const found = other?.mac === null || other === undefined
        ? null
        : `${address} lladdr ${other.mac}${other.permanent ? " permanent" : ""}`;
      const expected = `${address} lladdr ${mac} permanent`;
      return { what: `neighbour on ${link}`, expected, found, urgent: up.has(link) };
    }
    case "delete-neighbour":
      return extra(`neighbour on ${op.link}`, op.address);
  }
}

function missing(what: string, expected: string): Finding {
  return { what, expected, found: null, urgent: false };
}

function extra(what: string, found: string): Finding {
  return { what, expected: null, found, urgent: false };
}
