import { inRange4, parseIpv4 } from "../../core/net/net.ts";
import { EVERYWHERE, parsePorts } from "../../firewall/address_schema.ts";
import { net } from "../../firewall/sets/regions.ts";
import { contentOf, RULE_KINDS, type RuleList, type RuleOf } from "../../firewall/rule_kinds.ts";
import { deleteRule, putForward, putRule, setIcmp } from "../../firewall/rules.ts";
import {
  type BlockRule,
  Endpoint,
  ForwardingBlockRule,
  ForwardingRule,
  ServicePort,
} from "../../firewall/schema.ts";
import type { AnsweredQuery, ChangeCandidate } from "./candidate.ts";

/** Rules of one kind that are tried, at most. */
const MAX_RULES_TRIED = 20;

function titleOf<L extends RuleList>(list: L, rule: RuleOf<L>): string {
  return ("RuleName" in rule && rule.RuleName) || contentOf(list, rule);
}

function remove<L extends RuleList>(list: L, rule: RuleOf<L>, what: string): ChangeCandidate {
  return {
    summary: `Delete ${what} ${titleOf(list, rule)}`,
    method: "DELETE",
    path: RULE_KINDS[list].path,
    body: rule,
    reduce: (config) => deleteRule(config, list, contentOf(list, rule)),
  };
}

function within(network: string, address: string | null): boolean {
  const value = parseIpv4(address ?? "");
  return value !== null && network !== "" && inRange4(net(network), value);
}

function portIn(ports: string, { query }: AnsweredQuery): boolean {
  const [low, high] = parsePorts(ports);
  return query.port !== "" && Number(query.port) >= low && Number(query.port) <= high;
}

/** Blocks that stand between the two ends, each to be deleted. */
export function withoutBlocks(answered: AnsweredQuery): readonly ChangeCandidate[] {
  const { query, answer, config: { firewall } } = answered;
  const meets = (rule: BlockRule | ForwardingBlockRule): boolean =>
    !rule.Disabled && rule.Protocol === query.protocol &&
    within(rule.SrcIP, answer.from.address) && within(rule.DstIP, answer.to.address) &&
    (!("DstPort" in rule) || portIn(rule.DstPort as string, answered));
  return (["BlockRules", "ForwardingBlockRules", "OutputBlockRules"] as const).flatMap((list) =>
    (firewall[list] as readonly RuleOf<typeof list>[]).filter(meets).slice(0, MAX_RULES_TRIED)
      .map((rule) => remove(list, rule, "block rule"))
  );
}

/** A block of just this, where it passes through the router. */
export function withBlock({ query, answer }: AnsweredQuery): readonly ChangeCandidate[] {
  const { from, to } = answer;
  const passes = from.kind !== "router" && to.kind !== "router";
  if (query.protocol === "icmp" || from.address === null || !passes) return [];
  const source = from.kind === "internet" ? EVERYWHERE : from.address;
  const body = ForwardingBlockRule.safeParse({
    Protocol: query.protocol,
    SrcIP: source,
    DstIP: to.kind === "internet" ? EVERYWHERE : to.address,
    DstPort: query.port,
  });
  if (!body.success) return [];
  return [{
    summary: `Block ${query.protocol} ${query.port} from ${from.name} to ${to.name}`,
    method: "PUT",
    path: RULE_KINDS.ForwardingBlockRules.path,
    body: body.data,
    reduce: (config) => putRule(config, "ForwardingBlockRules", body.data),
  }];
}

/** An endpoint for just this port, for a tag that the sender has already. */
export function withEndpoint(
  answered: AnsweredQuery,
  tags: readonly string[],
): readonly ChangeCandidate[] {
  const { query, answer, config } = answered;
  // One address stands for the Internet in questions; an endpoint would open that one alone.
  const isUnnamed = answer.to.kind === "internet" || answer.to.address === null;
  if (query.protocol === "icmp" || isUnnamed) return [];
  const names = new Set(config.firewall.Endpoints.map(({ RuleName }) => RuleName));
  return tags.slice(0, MAX_RULES_TRIED).flatMap((tag) => {
    const RuleName = fresh(`${answer.to.name} ${query.port}`.slice(0, 100), names);
    const body = Endpoint.safeParse({
      RuleName,
      Protocol: query.protocol,
      IP: answer.to.address,
      Port: query.port,
      Tags: [tag],
    });
    if (!body.success) return [];
    return [{
      summary: `Allow tag ${tag} to reach ${answer.to.name} on ${query.protocol} ${query.port}`,
      method: "PUT" as const,
      path: RULE_KINDS.Endpoints.path,
      body: body.data,
      reduce: (config) => putRule(config, "Endpoints", body.data),
    }];
  });
}

/** Active endpoints that open the other end on this port. */
export function endpointsFor(answered: AnsweredQuery): readonly Endpoint[] {
  const { query, answer, config } = answered;
  return config.firewall.Endpoints.filter((one) =>
    !one.Disabled && one.Protocol === query.protocol && within(one.IP, answer.to.address) &&
    (answer.to.kind !== "internet" || one.IP === EVERYWHERE) && portIn(one.Port, answered)
  ).slice(0, MAX_RULES_TRIED);
}

/** Those endpoints, each to be deleted. */
export function withoutEndpoints(answered: AnsweredQuery): readonly ChangeCandidate[] {
  return endpointsFor(answered).map((one) => remove("Endpoints", one, "endpoint"));
}

/** A forward of just this port; the question is then put to the router. */
export function withForward({ query, answer }: AnsweredQuery): readonly ChangeCandidate[] {
  const { from, to } = answer;
  if (query.protocol === "icmp" || to.address === null) return [];
  const body = ForwardingRule.safeParse({
    Protocol: query.protocol,
    SrcPort: query.port,
    DstIP: to.address,
    DstPort: query.port,
    ...(from.kind === "address" ? { From: [from.address] } : {}),
  });
  if (!body.success) return [];
  return [{
    summary: `Forward ${query.protocol} ${query.port} from the WAN to ${to.name}`,
    method: "PUT",
    path: RULE_KINDS.ForwardingRules.path,
    body: body.data,
    to: "router",
    reduce: (config) => putForward(config, body.data),
  }];
}

/** Forwards of this port, each to be deleted. */
export function withoutForwards(answered: AnsweredQuery): readonly ChangeCandidate[] {
  const { query, config } = answered;
  return config.firewall.ForwardingRules
    .filter((one) =>
      !one.Disabled && one.Protocol === query.protocol && portIn(one.SrcPort, answered)
    )
    .slice(0, MAX_RULES_TRIED).map((one) => remove("ForwardingRules", one, "port forward"));
}

/** The router's own ports and pings, opened or closed to where the question comes from. */
export function routerPorts(
  answered: AnsweredQuery,
  open: boolean,
  isOutside: boolean,
): readonly ChangeCandidate[] {
  const { query, config: { firewall } } = answered;
  if (query.protocol === "icmp") {
    const { PingLan, PingWan } = firewall;
    const body = isOutside ? { PingLan, PingWan: open } : { PingLan: open, PingWan };
    return [{
      summary: `${open ? "Answer" : "Ignore"} pings from ${isOutside ? "the WAN" : "the LAN"}`,
      method: "PUT",
      path: "/firewall/icmp",
      body,
      reduce: (config) => setIcmp(config, body),
    }];
  }
  if (query.protocol !== "tcp") return [];
  const known = firewall.ServicePorts.find(({ Port }) => Port === query.port);
  const set = (UpstreamEnabled: boolean, summary: string): ChangeCandidate => {
    const body = ServicePort.parse({
      ...known,
      Protocol: "tcp",
      Port: query.port,
      UpstreamEnabled,
    });
    return {
      summary,
      method: "PUT",
      path: RULE_KINDS.ServicePorts.path,
      body,
      reduce: (config) => putRule(config, "ServicePorts", body),
    };
  };
  const port = `router port ${query.port}`;
  if (open) return [set(isOutside, `Open ${port} to the ${isOutside ? "WAN" : "LAN"}`)];
  if (!known) return [];
  return [
    ...(isOutside ? [set(false, `Close ${port} to the WAN`)] : []),
    remove("ServicePorts", known, "open router port"),
  ];
}

function fresh(name: string, taken: ReadonlySet<string>): string {
  let found = name;
  for (let n = 2; taken.has(found); n++) found = `${name} (${n})`;
  return found;
}
