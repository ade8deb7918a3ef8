import { ruleKinds } from "../../generated/rule_kinds.ts";
import type { IconName } from "../../parts/show/icon.tsx";
import { ANYWHERE, endpointText, EVERYWHERE, listText, policyText, portText } from "./text.ts";
import type { AnyRule, Firewall, RuleList, RuleOf } from "./wire.ts";
import { t } from "../../text/language.ts";

/** A rule as people read it. */
export interface RuleText {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** Protocol and ports. */
  readonly service: string;
  /** Completes the name to a sentence about what it does. */
  readonly does: string;
}

/** How a kind of rule is shown. */
interface KindText<L extends RuleList> {
  readonly title: string;
  /** The kind in the column of types. */
  readonly type: string;
  /** Title of the form and the preview of a new one, and the button that adds it. */
  readonly fresh: string;
  readonly preview: string;
  readonly adds: string;
  readonly icon: IconName;
  readonly tone: "" | "success-t" | "danger-t";
  /** What the kind is for, and why having none is fine. */
  readonly help: string;
  readonly text: (rule: RuleOf<L>) => RuleText;
}

/** One kind of rule: where it is written, and how it is described. */
export interface Kind<L extends RuleList = RuleList> extends KindText<L> {
  readonly list: L;
  /** Last part of the address of its API. */
  readonly path: string;
  /** What makes it the rule that it is, in the words of the API’s counters. */
  readonly key: (rule: RuleOf<L>) => string;
}

const INTERNET = t("Internet");
const ROUTER = t("This router");

function capital(text: string): string {
  return text === ANYWHERE ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

function blockText(
  rule:
    & { readonly RuleName: string; readonly Protocol: string }
    & Record<"SrcIP" | "DstIP", string>,
  ports: string,
  does: (from: string, to: string) => string,
): RuleText {
  const from = endpointText(rule.SrcIP);
  const service = portText(rule.Protocol, ports);
  const to = `${endpointText(rule.DstIP)}, ${service}`;
  return {
    name: rule.RuleName || capital(t("{from} to {to}", { from, to })),
    from: capital(from),
    to: capital(endpointText(rule.DstIP)),
    service,
    does: does(from, to),
  };
}

const TEXTS: { readonly [L in RuleList]: KindText<L> } = {
  ForwardingRules: {
    title: t("Port forwards"),
    type: t("Port forward"),
    fresh: t("New port forward"),
    adds: t("Add port forward"),
    preview: t("Preview: new port forward"),
    icon: "arrow",
    tone: "",
    help: t("Forward incoming WAN traffic to a LAN device"),
    text: (rule) => {
      const who = rule.From.length === 0 ? INTERNET : listText(rule.From.map(endpointText));
      const at = rule.SrcIP === EVERYWHERE ? "" : t(" on {srcIP}", { srcIP: rule.SrcIP });
      const same = rule.DstPort === "any" ? rule.SrcPort : rule.DstPort;
      const to = `${endpointText(rule.DstIP)}, ${portText(rule.Protocol, same)}`;
      const opened = portText(rule.Protocol, rule.SrcPort);
      const sources = rule.From.length === 0 ? t("the Internet") : who;
      return {
        name: rule.RuleName ||
          t("{from} to {to}", { from: opened, to: endpointText(rule.DstIP) }),
        from: `${who}${at}`,
        to: rule.DstPort === "any" || rule.DstPort === rule.SrcPort
          ? endpointText(rule.DstIP)
          : t("{endpoint}, port {dstPort}", {
            endpoint: endpointText(rule.DstIP),
            dstPort: rule.DstPort,
          }),
        service: opened,
        does: t("forwards traffic from {sources} to {opened}{at} to {to}", {
          sources,
          opened,
          at,
          to,
        }),
      };
    },
  },
  BlockRules: {
    title: t("Blocks"),
    type: t("Block"),
    fresh: t("New block"),
    adds: t("Add block"),
    preview: t("Preview: new block"),
    icon: "gate_closed",
    tone: "danger-t",
    help: t("Block all traffic between two addresses, before all other rules"),
    text: (rule) =>
      blockText(
        rule,
        "any",
        (from, to) => t("blocks all traffic from {from} to {to}", { from, to }),
      ),
  },
  ForwardingBlockRules: {
    title: t("Block forwarded traffic"),
    type: t("Block forwarded"),
    fresh: t("New forward block"),
    adds: t("Add forward block"),
    preview: t("Preview: new forward block"),
    icon: "gate_closed",
    tone: "danger-t",
    help: t("Block certain ports between devices, or from devices to the Internet"),
    text: (rule) =>
      blockText(
        rule,
        rule.DstPort,
        (from, to) => t("blocks forwarded traffic from {from} to {to}", { from, to }),
      ),
  },
  OutputBlockRules: {
    title: t("Block router outbound"),
    type: t("Block outbound"),
    fresh: t("New output block"),
    adds: t("Add output block"),
    preview: t("Preview: new output block"),
    icon: "gate_closed",
    tone: "danger-t",
    help: t("Block connections that this router opens"),
    text: (rule) => {
      const text = blockText(
        rule,
        rule.DstPort,
        (_, to) => t("blocks this router from {to}", { to }),
      );
      const from = rule.SrcIP === EVERYWHERE
        ? ROUTER
        : t("{router}, as {srcIP}", { router: ROUTER, srcIP: rule.SrcIP });
      const name = rule.RuleName ||
        t("{from} to {to}, {service}", { from, to: text.to, service: text.service });
      return { ...text, from, name };
    },
  },
  Endpoints: {
    title: t("Service access by tag"),
    type: t("Service access"),
    fresh: t("New endpoint"),
    adds: t("Add endpoint"),
    preview: t("Preview: new endpoint"),
    icon: "gate_open",
    tone: "success-t",
    help: t("Allow devices with a tag to reach one destination"),
    text: (rule) => {
      const service = portText(rule.Protocol, rule.Port);
      const target = rule.Domain || endpointText(rule.IP);
      const to = `${target}, ${service}`;
      const who = rule.Tags.length === 0
        ? t("No tag")
        : t("Tag {tags}", { tags: listText(rule.Tags) });
      const idle = rule.Domain !== "" ? t("domains are not supported yet") : t("it has no tag");
      const opens = rule.Domain === "" && rule.Tags.length > 0;
      return {
        name: rule.RuleName,
        from: who,
        to: target,
        service,
        does: opens
          ? t("allows devices with the tag {tags} to reach {to}", { tags: listText(rule.Tags), to })
          : t("has no effect: {idle}", { idle }),
      };
    },
  },
  ServicePorts: {
    title: t("Open router ports"),
    type: t("Router port"),
    fresh: t("New router port"),
    adds: t("Add router port"),
    preview: t("Preview: new router port"),
    icon: "router",
    tone: "",
    help: t("Ports of this router that are open on LAN, and optionally on WAN"),
    text: (rule) => ({
      name: rule.Description || t("Port {port} of this router", { port: rule.Port }),
      from: rule.UpstreamEnabled ? t("LAN and WAN") : "LAN",
      to: ROUTER,
      service: portText(rule.Protocol, rule.Port),
      does: rule.UpstreamEnabled
        ? t("is open on LAN and WAN, so it is exposed to the Internet")
        : t("is open on LAN only"),
    }),
  },
  MulticastPorts: {
    title: t("Multicast"),
    type: t("Multicast"),
    fresh: t("New multicast port"),
    adds: t("Add multicast port"),
    preview: t("Preview: new multicast port"),
    icon: "wifi",
    tone: "",
    help: t("UDP ports on which this router receives multicast"),
    text: (rule) => ({
      name: t("Multicast on {port}", { port: rule.Port }),
      from: rule.Upstream ? t("LAN and WAN") : "LAN",
      to: ROUTER,
      service: t("UDP {port}", { port: rule.Port }),
      does: rule.Upstream ? t("is received on LAN and WAN") : t("is received on LAN"),
    }),
  },
  CustomInterfaceRules: {
    title: t("Bridges and containers"),
    type: t("Bridge"),
    fresh: t("New rule for an interface"),
    adds: t("Add rule for an interface"),
    preview: t("Preview: new rule for an interface"),
    icon: "gate",
    tone: "",
    help: t("Access for addresses on a bridge or container interface"),
    text: (rule) => {
      const from = t("{srcIP} on {interface}", { srcIP: rule.SrcIP, interface: rule.Interface });
      const may = [
        ...rule.Policies.map(policyText),
        ...rule.Groups.map((group) => t("group {group}", { group })),
        ...rule.Tags.map((tag) => t("tag {tag}", { tag })),
      ];
      return {
        name: rule.RuleName || from,
        from,
        to: may.length === 0 ? t("Nothing") : listText(may),
        service: t("any"),
        does: may.length === 0
          ? t("has no access")
          : t("gets access to {may}", { may: listText(may) }),
      };
    },
  },
};

const portsText = (value: unknown): string => {
  const [low, high] = String(value).split("-");
  if (low === "0" && high === "65535") return "any";
  return low === high ? String(low) : String(value);
};

function fieldText(field: string, value: unknown): string {
  if (Array.isArray(value)) return [...new Set(value)].sort().join(",");
  return field.endsWith("Port") ? portsText(value) : String(value);
}

/** The content of a rule by its template, as `system/firewall/rule_kinds.ts` describes it. */
function contentOf(template: string, rule: object): string {
  const fields = rule as Readonly<Record<string, unknown>>;
  return template
    .replace(
      /\[([^\]]*\{(\w+)\}[^\]]*)\]/g,
      (_, part, field) => (fields[field] as readonly unknown[]).length === 0 ? "" : part,
    )
    .replace(/\{(\w+)\}/g, (_, field) => fieldText(field, fields[field]));
}

/** Every kind of rule, in the order in which they are shown. */
export const KINDS: readonly Kind[] = (Object.keys(TEXTS) as RuleList[]).map((list) => {
  const { path, content } = ruleKinds[list];
  const key = (rule: AnyRule) => contentOf(content, rule);
  return { ...TEXTS[list], list, path, key } as Kind;
});

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
