import type { IconName } from "../../parts/show/icon.tsx";
import { endpointWords, EVERYWHERE, listWords, policyWords, portWords } from "./words.ts";
import type { AnyRule, Firewall, RuleList, RuleOf } from "./wire.ts";

/** A rule as people read it. */
export interface RuleWords {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** Completes the name to a sentence about what it does. */
  readonly does: string;
}

/** One kind of rule: where it is written, and how it is told. */
export interface Kind<L extends RuleList = RuleList> {
  readonly list: L;
  /** Last part of the address of its API. */
  readonly path: string;
  readonly title: string;
  /** One of them, as in `New port forward`. */
  readonly one: string;
  readonly icon: IconName;
  readonly tone: "" | "open-t" | "shut-t";
  /** What the kind is for, and why having none is fine. */
  readonly help: string;
  readonly words: (rule: RuleOf<L>) => RuleWords;
  /** What makes it the rule that it is, in the words of the API’s counters. */
  readonly key: (rule: RuleOf<L>) => string;
}

function define<L extends RuleList>(kind: Kind<L>): Kind {
  return kind as unknown as Kind;
}

const INTERNET = "Internet";
const ROUTER = "This router";

function capital(text: string): string {
  return text.startsWith("anywhere") ? `A${text.slice(1)}` : text;
}

function blockWords(
  rule:
    & { readonly RuleName: string; readonly Protocol: string }
    & Record<"SrcIP" | "DstIP", string>,
  ports: string,
  does: (from: string, to: string) => string,
): RuleWords {
  const from = endpointWords(rule.SrcIP);
  const to = `${endpointWords(rule.DstIP)}, ${portWords(rule.Protocol, ports)}`;
  return {
    name: rule.RuleName || capital(`${from} to ${to}`),
    from: capital(from),
    to: capital(to),
    does: does(from, to),
  };
}

const ports = (text: string): string => (text === "0-65535" ? "any" : text);

/** Every kind of rule, in the order in which they are shown. */
export const KINDS: readonly Kind[] = [
  define<"ForwardingRules">({
    list: "ForwardingRules",
    path: "forward",
    title: "Port forwards",
    one: "port forward",
    icon: "arrow",
    tone: "",
    help: "Lead what strangers open on the uplink’s address on to one device at home",
    key: (rule) => {
      const from = rule.From.length === 0 ? "" : ` from ${rule.From.toSorted().join(",")}`;
      return `${rule.Protocol} ${rule.SrcIP} ${ports(rule.SrcPort)} to ${rule.DstIP} ` +
        `${ports(rule.DstPort)}${from}`;
    },
    words: (rule) => {
      const who = rule.From.length === 0 ? INTERNET : listWords(rule.From.map(endpointWords));
      const at = rule.SrcIP === EVERYWHERE ? "" : ` on ${rule.SrcIP}`;
      const from = `${who}, ${portWords(rule.Protocol, rule.SrcPort)}${at}`;
      const same = rule.DstPort === "any" ? rule.SrcPort : rule.DstPort;
      const to = `${endpointWords(rule.DstIP)}, ${portWords(rule.Protocol, same)}`;
      const opened = portWords(rule.Protocol, rule.SrcPort);
      const strangers = rule.From.length === 0 ? "anyone on the Internet" : who;
      return {
        name: rule.RuleName || `${opened} to ${endpointWords(rule.DstIP)}`,
        from,
        to,
        does: `leads what ${strangers} opens on ${opened}${at} to ${to}`,
      };
    },
  }),
  define<"BlockRules">({
    list: "BlockRules",
    path: "block",
    title: "Blocks",
    one: "block",
    icon: "gateshut",
    tone: "shut-t",
    help: "Stop every connection from one place to another, before anything else is asked",
    key: (rule) => `${rule.Protocol} ${rule.SrcIP} to ${rule.DstIP}`,
    words: (rule) =>
      blockWords(rule, "any", (from, to) => `stops every connection from ${from} to ${to}`),
  }),
  define<"ForwardingBlockRules">({
    list: "ForwardingBlockRules",
    path: "block_forward",
    title: "Blocks on the way through",
    one: "block on the way through",
    icon: "gateshut",
    tone: "shut-t",
    help: "Stop certain ports between devices, or from them to the Internet",
    key: (rule) => `${rule.Protocol} ${rule.SrcIP} to ${rule.DstIP} ${ports(rule.DstPort)}`,
    words: (rule) =>
      blockWords(
        rule,
        rule.DstPort,
        (from, to) => `stops what would pass through this router from ${from} to ${to}`,
      ),
  }),
  define<"OutputBlockRules">({
    list: "OutputBlockRules",
    path: "block_output",
    title: "Blocks for the router itself",
    one: "block for the router itself",
    icon: "gateshut",
    tone: "shut-t",
    help: "Stop what this router itself would open",
    key: (rule) => `${rule.Protocol} ${rule.SrcIP} to ${rule.DstIP} ${ports(rule.DstPort)}`,
    words: (rule) => {
      const words = blockWords(rule, rule.DstPort, (_, to) => `keeps this router from ${to}`);
      const from = rule.SrcIP === EVERYWHERE ? ROUTER : `${ROUTER}, as ${rule.SrcIP}`;
      return { ...words, from, name: rule.RuleName || `${from} to ${words.to}` };
    },
  }),
  define<"Endpoints">({
    list: "Endpoints",
    path: "endpoint",
    title: "Endpoints",
    one: "endpoint",
    icon: "gateopen",
    tone: "open-t",
    help: "Open one destination to the devices that share a tag with it",
    key: (rule) => rule.RuleName,
    words: (rule) => {
      const to = `${rule.Domain || endpointWords(rule.IP)}, ${portWords(rule.Protocol, rule.Port)}`;
      const who = rule.Tags.length === 0 ? "No tag yet" : `Tag ${listWords(rule.Tags)}`;
      const idle = rule.Domain !== "" ? "it names a domain" : "it has no tag";
      const opens = rule.Domain === "" && rule.Tags.length > 0;
      return {
        name: rule.RuleName,
        from: who,
        to,
        does: opens
          ? `opens ${to} to every device with the tag ${listWords(rule.Tags)}`
          : `opens nothing yet, since ${idle}`,
      };
    },
  }),
  define<"ServicePorts">({
    list: "ServicePorts",
    path: "service_port",
    title: "Router ports",
    one: "router port",
    icon: "router",
    tone: "",
    help: "Ports of this router that are open to home, and to uplinks where it says so",
    key: (rule) => `${rule.Protocol} ${rule.Port}`,
    words: (rule) => ({
      name: rule.Description || `Port ${rule.Port} of this router`,
      from: rule.UpstreamEnabled ? "Home and uplinks" : "Home",
      to: `${ROUTER}, ${portWords(rule.Protocol, rule.Port)}`,
      does: rule.UpstreamEnabled
        ? "is open to home and to uplinks: anyone who reaches an uplink may try it"
        : "is open to home, not to uplinks",
    }),
  }),
  define<"MulticastPorts">({
    list: "MulticastPorts",
    path: "multicast",
    title: "Multicast",
    one: "multicast port",
    icon: "wifi",
    tone: "",
    help: "UDP ports on which this router hears what devices call out to all",
    key: (rule) => rule.Port,
    words: (rule) => ({
      name: `Multicast on ${rule.Port}`,
      from: rule.Upstream ? "Home and uplinks" : "Home",
      to: `${ROUTER}, UDP ${rule.Port}`,
      does: rule.Upstream ? "is heard from home and from uplinks" : "is heard from home",
    }),
  }),
  define<"CustomInterfaceRules">({
    list: "CustomInterfaceRules",
    path: "custom_interface",
    title: "Interfaces without devices",
    one: "rule for an interface",
    icon: "gate",
    tone: "",
    help: "Say what an address on a bridge or container link may do",
    key: (rule) => `${rule.Interface} ${rule.SrcIP} ${rule.RouteDst}`,
    words: (rule) => {
      const may = [
        ...rule.Policies.map(policyWords),
        ...rule.Groups.map((group) => `group ${group}`),
        ...rule.Tags.map((tag) => `tag ${tag}`),
      ];
      return {
        name: rule.RuleName || `${rule.SrcIP} on ${rule.Interface}`,
        from: `${rule.SrcIP} on ${rule.Interface}`,
        to: may.length === 0 ? "Nothing" : listWords(may),
        does: may.length === 0 ? "may start nothing" : `may use ${listWords(may)}`,
      };
    },
  }),
];

/** The kind of this path in the API; undefined for what is none. */
export function kindOf(path: string | undefined): Kind | undefined {
  return KINDS.find((kind) => kind.path === path);
}

/** The rules of a kind. */
export function rulesOf(kind: Kind, firewall: Firewall): readonly AnyRule[] {
  return firewall[kind.list];
}

/** True for a rule that is kept but switched off. */
export function isOff(rule: AnyRule): boolean {
  return "Disabled" in rule && rule.Disabled;
}
