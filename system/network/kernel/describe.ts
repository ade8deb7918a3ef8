import type { IpOp, KernelPlan, KernelStep } from "../../core/kernel/plan.ts";
import type { IpRule } from "../../core/kernel/policy_routing.ts";
import type { Ruleset } from "../../core/kernel/ruleset.ts";
import { VXLAN_PORT } from "../../core/kernel/facts.ts";
import { opLines } from "../../core/kernel/nft/text.ts";

/** One change of links, addresses, routes or neighbours as an ip(8) command. */
export function ipCommand(op: IpOp): string {
  switch (op.op) {
    case "add-link":
      return `ip link add ${op.name} type ${op.kind}`;
    case "add-vlan":
      return `ip link add ${op.name} link ${op.vlan.parent} type vlan id ${op.vlan.tag}`;
    case "add-vxlan":
      return `ip link add ${op.name} type vxlan id ${op.vxlan.id} remote ${op.vxlan.remote} ` +
        `dstport ${VXLAN_PORT}`;
    case "set-bridge":
      return `ip link set ${op.name} ${op.bridge === null ? "nomaster" : `master ${op.bridge}`}`;
    case "set-isolated":
      return `bridge link set dev ${op.name} isolated ${op.isolated ? "on" : "off"}`;
    case "set-mac":
      return `ip link set ${op.name} address ${op.mac}`;
    case "set-mtu":
      return `ip link set ${op.name} mtu ${op.mtu}`;
    case "set-loose-rp-filter":
      return `sysctl net/ipv4/conf/${op.name}/rp_filter=2`;
    case "replace-policy-route":
    case "delete-policy-route": {
      const { via, link, table, metric } = op.policyRoute;
      return `ip route ${op.op === "replace-policy-route" ? "replace" : "del"} default` +
        `${via === null ? "" : ` via ${via}`} dev ${link} table ${table}` +
        `${metric === 0 ? "" : ` metric ${metric}`}`;
    }
    case "add-rule":
    case "delete-rule":
      return `ip rule ${op.op === "add-rule" ? "add" : "del"} ${ipRuleText(op.rule)}`;
    case "delete-link":
      return `ip link del ${op.name}`;
    case "set-link":
      return `ip link set ${op.name} ${op.up ? "up" : "down"}`;
    case "add-address":
      return `ip addr add ${op.address} dev ${op.link}`;
    case "delete-address":
      return `ip addr del ${op.address} dev ${op.link}`;
    case "replace-route":
    case "delete-route": {
      const verb = op.op === "replace-route" ? "replace" : "del";
      const via = op.route.via === null ? "" : ` via ${op.route.via}`;
      return `ip route ${verb} ${op.route.destination}${via} dev ${op.route.link}`;
    }
    case "replace-neighbour": {
      const { address, mac, link } = op.neighbour;
      return `ip neigh replace ${address} lladdr ${mac} dev ${link} nud permanent`;
    }
    case "delete-neighbour":
      return `ip neigh del ${op.address} dev ${op.link}`;
  }
}

/** An ip rule in the syntax of ip(8). */
export function ipRuleText(rule: IpRule): string {
  switch (rule.kind) {
    case "local":
      return "lookup main suppress_prefixlength 0";
    case "link":
      return `oif ${rule.link} lookup ${rule.table}`;
    case "source":
      return `from ${rule.address} lookup ${rule.table}`;
    case "mark":
      return `fwmark ${rule.table} lookup ${rule.table}`;
  }
}

function loadLines(ruleset: Ruleset): readonly string[] {
  return ruleset.tables.map((table) => {
    const rules = table.chains.reduce((sum, chain) => sum + chain.rules.length, 0);
    const elements = table.sets.reduce((sum, set) => sum + set.elements.size, 0);
    return `nft load table ${table.family} ${table.name}: ${table.chains.length} chains, ` +
      `${rules} rules, ${table.sets.length} sets, ${elements} elements`;
  });
}

function stepLines(step: KernelStep): readonly string[] {
  switch (step.kind) {
    case "ruleset":
      return step.ops.flatMap(opLines).map((line) => `nft ${line.trim()}`);
    case "load":
      return loadLines(step.ruleset);
    case "ip":
      return step.ops.map(ipCommand);
    case "forwarding":
      return [`sysctl net.ipv4.ip_forward=${step.on ? 1 : 0}`];
  }
}

/** A plan as nft and ip commands, one line per change, in order. */
export function describe(plan: KernelPlan): readonly string[] {
  return plan.steps.flatMap(stepLines);
}
