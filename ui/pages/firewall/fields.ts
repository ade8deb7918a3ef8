import { addressOf, EVERYWHERE } from "./text.ts";
import type { AnyRule, RuleList } from "./wire.ts";
import { t } from "../../text/language.ts";

/** One field of the form of a rule. */
export interface RuleField {
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  /**
   * `address`: an address, network or device; empty is everywhere. `own`: one of this router.
   * `host`: one device or address. `ports`: empty is any. `list`: texts with commas between;
   * `addresses`: addresses, networks or devices.
   */
  readonly input:
    | "text"
    | "address"
    | "addresses"
    | "own"
    | "host"
    | "ports"
    | "protocol"
    | "check"
    | "list"
    | "policies";
  /** Part of what the rule is known by: cannot be edited, only copied into another. */
  readonly known?: boolean;
}

/** What a form holds while it is filled in. */
export type Values = Readonly<Record<string, string | boolean | readonly string[]>>;

const NAME: RuleField = {
  name: "RuleName",
  label: t("Name"),
  input: "text",
  help: t("Optional"),
};
const NOTE: RuleField = { name: "Description", label: t("Note"), input: "text" };
const ON: RuleField = {
  name: "Disabled",
  label: t("Disabled"),
  input: "check",
  help: t("Keep the rule without applying it"),
};
const PROTOCOL: RuleField = {
  name: "Protocol",
  label: t("Protocol"),
  input: "protocol",
  known: true,
};
const addressField = (name: string, label: string, help: string): RuleField => ({
  name,
  label,
  help,
  input: "address",
  known: true,
});
const ADDRESS_HELP = t("Device, IP address or network, for example 192.168.2.0/24. Empty = any");
const PORTS_HELP = t("Port or range, for example 8000-8010. Empty = any");

const BLOCK: readonly RuleField[] = [
  PROTOCOL,
  addressField("SrcIP", t("From"), ADDRESS_HELP),
  addressField("DstIP", t("To"), ADDRESS_HELP),
];
const PORT_BLOCK: readonly RuleField[] = [
  ...BLOCK,
  { name: "DstPort", label: t("Ports"), input: "ports", known: true, help: PORTS_HELP },
];

/** The form of each kind, in the order in which it is filled in. */
export const FIELDS: Readonly<Record<RuleList, readonly RuleField[]>> = {
  ForwardingRules: [
    PROTOCOL,
    {
      name: "SrcPort",
      label: t("WAN port"),
      input: "text",
      known: true,
      help: t("Port or range, for example 8000-8010, or any"),
    },
    {
      name: "DstIP",
      label: t("Forward to"),
      input: "host",
      known: true,
      help: t("A device by its name, or an IP address"),
    },
    {
      name: "DstPort",
      label: t("Internal port"),
      input: "ports",
      known: true,
      help: t("Empty = same port"),
    },
    {
      name: "From",
      label: t("Source"),
      input: "addresses",
      known: true,
      help: t("Comma-separated IP addresses, networks or devices. Empty = any"),
    },
    {
      ...addressField("SrcIP", t("WAN IP"), t("IP address of a WAN interface. Empty = all")),
      input: "own",
    },
    NAME,
    NOTE,
    ON,
  ],
  BlockRules: [...BLOCK, NAME, NOTE, ON],
  ForwardingBlockRules: [...PORT_BLOCK, NAME, NOTE, ON],
  OutputBlockRules: [
    PROTOCOL,
    addressField("DstIP", t("To"), ADDRESS_HELP),
    { name: "DstPort", label: t("Ports"), input: "ports", known: true, help: PORTS_HELP },
    { ...addressField("SrcIP", t("As"), t("Source IP of this router. Empty = any")), input: "own" },
    NAME,
    NOTE,
    ON,
  ],
  Endpoints: [
    { ...NAME, known: true, help: t("Unique name") },
    { ...PROTOCOL, known: false },
    {
      name: "IP",
      label: t("Address"),
      input: "host",
      help: t("Device, IP address or network. Empty if you enter a domain"),
    },
    {
      name: "Domain",
      label: t("Domain"),
      input: "text",
      help: t("Instead of an address. Saved, but not applied yet"),
    },
    { name: "Port", label: t("Port"), input: "text", help: t("Port, range, or any") },
    {
      name: "Tags",
      label: t("Tags"),
      input: "list",
      help: t("Devices with one of these tags get access. Comma-separated"),
    },
    NOTE,
    ON,
  ],
  ServicePorts: [
    {
      name: "Port",
      label: t("Port"),
      input: "text",
      known: true,
      help: t("One TCP port, 1 to 65535"),
    },
    {
      name: "UpstreamEnabled",
      label: t("Open on WAN"),
      input: "check",
      help: t("Exposes the port to the Internet"),
    },
    { ...NOTE, help: t("Service on this port") },
  ],
  MulticastPorts: [
    {
      name: "Port",
      label: t("Port"),
      input: "text",
      known: true,
      help: t("One UDP port, 1 to 65535"),
    },
    { name: "Upstream", label: t("Also on WAN"), input: "check" },
  ],
  CustomInterfaceRules: [
    {
      name: "Interface",
      label: t("Interface"),
      input: "text",
      known: true,
      help: t("For example docker0. Not a WAN interface"),
    },
    {
      name: "SrcIP",
      label: t("IP address or network"),
      input: "text",
      known: true,
      help: t("For example 172.17.0.0/16"),
    },
    {
      name: "RouteDst",
      label: t("Gateway"),
      input: "text",
      known: true,
      help: t("Next hop on that interface. Empty = directly connected"),
    },
    { name: "Policies", label: t("Access"), input: "policies", known: true },
    { name: "Groups", label: t("Groups"), input: "list", known: true, help: t("Comma-separated") },
    {
      name: "Tags",
      label: t("Tags"),
      input: "list",
      known: true,
      help: t("For a single address. Comma-separated"),
    },
    NAME,
    NOTE,
    ON,
  ],
};

/** What the form of a new rule begins with. */
export function blankValues(list: RuleList): Values {
  return Object.fromEntries(
    FIELDS[list].map(({ name, input }) => [
      name,
      input === "check" ? false : input === "policies" ? [] : input === "protocol" ? "tcp" : "",
    ]),
  );
}

/** What the form of a rule that is there begins with. */
export function valuesOf(list: RuleList, rule: AnyRule): Values {
  const known = rule as unknown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    FIELDS[list].map(({ name, input }): [string, string | boolean | readonly string[]] => {
      const value = known[name];
      if (input === "check") return [name, value === true];
      if (input === "policies") return [name, value as readonly string[] ?? []];
      if (input === "list" || input === "addresses") {
        return [name, (value as readonly string[] ?? []).join(", ")];
      }
      const text = String(value ?? "");
      if ((input === "address" || input === "own") && text === EVERYWHERE) return [name, ""];
      if (input === "ports" && text === "any") return [name, ""];
      return [name, text];
    }),
  );
}

function partsOf(text: string): readonly string[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}

/** The rule that a form stands for, as the API takes it. */
export function ruleOf(list: RuleList, values: Values): AnyRule {
  const body = Object.fromEntries(
    FIELDS[list].map(({ name, input }) => {
      const value = values[name];
      if (typeof value !== "string") return [name, value];
      const text = value.trim();
      switch (input) {
        case "address":
        case "own":
          return [name, text === "" ? EVERYWHERE : input === "own" ? text : addressOf(text)];
        case "host":
          return [name, addressOf(text)];
        case "ports":
          return [name, text === "" ? "any" : text];
        case "list":
          return [name, partsOf(text)];
        case "addresses":
          return [name, partsOf(text).map(addressOf)];
        default:
          return [name, text];
      }
    }),
  );
  return (list === "ServicePorts" ? { Protocol: "tcp", ...body } : body) as unknown as AnyRule;
}
