import { addressOf, EVERYWHERE } from "./text.ts";
import type { AnyRule, RuleList } from "./wire.ts";

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
  label: "Name",
  input: "text",
  help: "Optional",
};
const NOTE: RuleField = { name: "Description", label: "Note", input: "text" };
const ON: RuleField = {
  name: "Disabled",
  label: "Disabled",
  input: "check",
  help: "Keep the rule without applying it",
};
const PROTOCOL: RuleField = {
  name: "Protocol",
  label: "Protocol",
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
const ADDRESS_HELP = "Device, IP address or network, for example 192.168.2.0/24. Empty = any";
const PORTS_HELP = "Port or range, for example 8000-8010. Empty = any";

const BLOCK: readonly RuleField[] = [
  PROTOCOL,
  addressField("SrcIP", "From", ADDRESS_HELP),
  addressField("DstIP", "To", ADDRESS_HELP),
];
const PORT_BLOCK: readonly RuleField[] = [
  ...BLOCK,
  { name: "DstPort", label: "Ports", input: "ports", known: true, help: PORTS_HELP },
];

/** The form of each kind, in the order in which it is filled in. */
export const FIELDS: Readonly<Record<RuleList, readonly RuleField[]>> = {
  ForwardingRules: [
    PROTOCOL,
    {
      name: "SrcPort",
      label: "WAN port",
      input: "text",
      known: true,
      help: "Port or range, for example 8000-8010, or any",
    },
    {
      name: "DstIP",
      label: "Forward to",
      input: "host",
      known: true,
      help: "A device by its name, or an IP address",
    },
    {
      name: "DstPort",
      label: "Internal port",
      input: "ports",
      known: true,
      help: "Empty = same port",
    },
    {
      name: "From",
      label: "Source",
      input: "addresses",
      known: true,
      help: "Comma-separated IP addresses, networks or devices. Empty = any",
    },
    {
      ...addressField("SrcIP", "WAN IP", "IP address of a WAN interface. Empty = all"),
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
    addressField("DstIP", "To", ADDRESS_HELP),
    { name: "DstPort", label: "Ports", input: "ports", known: true, help: PORTS_HELP },
    { ...addressField("SrcIP", "As", "Source IP of this router. Empty = any"), input: "own" },
    NAME,
    NOTE,
    ON,
  ],
  Endpoints: [
    { ...NAME, known: true, help: "Unique name" },
    { ...PROTOCOL, known: false },
    {
      name: "IP",
      label: "Address",
      input: "host",
      help: "Device, IP address or network. Empty if you enter a domain",
    },
    {
      name: "Domain",
      label: "Domain",
      input: "text",
      help: "Instead of an address. Saved, but not applied yet",
    },
    { name: "Port", label: "Port", input: "text", help: "Port, range, or any" },
    {
      name: "Tags",
      label: "Tags",
      input: "list",
      help: "Devices with one of these tags get access. Comma-separated",
    },
    NOTE,
    ON,
  ],
  ServicePorts: [
    { name: "Port", label: "Port", input: "text", known: true, help: "One TCP port, 1 to 65535" },
    {
      name: "UpstreamEnabled",
      label: "Open on WAN",
      input: "check",
      help: "Exposes the port to the Internet",
    },
    { ...NOTE, help: "Service on this port" },
  ],
  MulticastPorts: [
    { name: "Port", label: "Port", input: "text", known: true, help: "One UDP port, 1 to 65535" },
    { name: "Upstream", label: "Also on WAN", input: "check" },
  ],
  CustomInterfaceRules: [
    {
      name: "Interface",
      label: "Interface",
      input: "text",
      known: true,
      help: "For example docker0. Not a WAN interface",
    },
    {
      name: "SrcIP",
      label: "IP address or network",
      input: "text",
      known: true,
      help: "For example 172.17.0.0/16",
    },
    {
      name: "RouteDst",
      label: "Gateway",
      input: "text",
      known: true,
      help: "Next hop on that interface. Empty = directly connected",
    },
    { name: "Policies", label: "Access", input: "policies", known: true },
    { name: "Groups", label: "Groups", input: "list", known: true, help: "Comma-separated" },
    {
      name: "Tags",
      label: "Tags",
      input: "list",
      known: true,
      help: "For a single address. Comma-separated",
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
