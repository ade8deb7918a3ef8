import { EVERYWHERE } from "./words.ts";
import type { AnyRule, RuleList } from "./wire.ts";

/** One field of the form of a rule. */
export interface RuleField {
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  /**
   * `place`: an address, network or device; empty is everywhere. `host`: one device or address.
   * `ports`: empty is any. `list`: texts with commas between.
   */
  readonly input:
    | "text"
    | "place"
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
  help: "For people; it changes nothing",
};
const NOTE: RuleField = { name: "Description", label: "Note", input: "text" };
const ON: RuleField = {
  name: "Disabled",
  label: "Switched off",
  input: "check",
  help: "Stays in the list and does nothing",
};
const PROTOCOL: RuleField = {
  name: "Protocol",
  label: "Protocol",
  input: "protocol",
  known: true,
};
const place = (name: string, label: string, help: string): RuleField => ({
  name,
  label,
  help,
  input: "place",
  known: true,
});
const PLACE_HELP = "An address, a network such as 192.168.2.0/24, or empty for anywhere";
const PORTS_HELP = "One port, a range such as 8000-8010, or empty for any";

const BLOCK: readonly RuleField[] = [
  PROTOCOL,
  place("SrcIP", "From", PLACE_HELP),
  place("DstIP", "To", PLACE_HELP),
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
      label: "Port that is opened",
      input: "text",
      known: true,
      help: "On the uplink’s address: one port, a range such as 8000-8010, or any",
    },
    {
      name: "DstIP",
      label: "Leads to",
      input: "host",
      known: true,
      help: "The address of one device at home",
    },
    {
      name: "DstPort",
      label: "Port there",
      input: "ports",
      known: true,
      help: "Empty for the same port",
    },
    {
      name: "From",
      label: "Only from",
      input: "list",
      known: true,
      help: "Addresses or networks with commas between; empty for the whole Internet",
    },
    place("SrcIP", "Opened on", "An address of an uplink, or empty for all of them"),
    NAME,
    NOTE,
    ON,
  ],
  BlockRules: [...BLOCK, NAME, NOTE, ON],
  ForwardingBlockRules: [...PORT_BLOCK, NAME, NOTE, ON],
  OutputBlockRules: [
    PROTOCOL,
    place("DstIP", "To", PLACE_HELP),
    { name: "DstPort", label: "Ports", input: "ports", known: true, help: PORTS_HELP },
    place("SrcIP", "As", "An address of this router, or empty for any of them"),
    NAME,
    NOTE,
    ON,
  ],
  Endpoints: [
    { ...NAME, known: true, help: "It is known by this name" },
    { ...PROTOCOL, known: false },
    {
      name: "IP",
      label: "Address",
      input: "host",
      help: "An address or network; leave it empty for a domain",
    },
    {
      name: "Domain",
      label: "Domain",
      input: "text",
      help: "In place of an address; it is kept, and opens nothing yet",
    },
    { name: "Port", label: "Port", input: "text", help: "One port, a range, or any" },
    {
      name: "Tags",
      label: "Tags",
      input: "list",
      help: "Devices with one of these reach it; commas between",
    },
    NOTE,
    ON,
  ],
  ServicePorts: [
    { name: "Port", label: "Port", input: "text", known: true, help: "One TCP port, 1 to 65535" },
    {
      name: "UpstreamEnabled",
      label: "Open to uplinks as well",
      input: "check",
      help: "Anyone who reaches an uplink may then try it",
    },
    { ...NOTE, help: "What listens there" },
  ],
  MulticastPorts: [
    { name: "Port", label: "Port", input: "text", known: true, help: "One UDP port, 1 to 65535" },
    { name: "Upstream", label: "From uplinks as well", input: "check" },
  ],
  CustomInterfaceRules: [
    {
      name: "Interface",
      label: "Interface",
      input: "text",
      known: true,
      help: "Such as docker0; never an uplink",
    },
    {
      name: "SrcIP",
      label: "Address or network there",
      input: "host",
      known: true,
      help: "Such as 172.17.0.0/16",
    },
    {
      name: "RouteDst",
      label: "Reached through",
      input: "text",
      known: true,
      help: "A machine on that interface, or empty when it is there itself",
    },
    { name: "Policies", label: "May use", input: "policies", known: true },
    { name: "Groups", label: "Groups", input: "list", known: true, help: "Commas between" },
    {
      name: "Tags",
      label: "Tags",
      input: "list",
      known: true,
      help: "For a single address; commas between",
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
      if (input === "list") return [name, (value as readonly string[] ?? []).join(", ")];
      const text = String(value ?? "");
      if (input === "place" && text === EVERYWHERE) return [name, ""];
      if (input === "ports" && text === "any") return [name, ""];
      return [name, text];
    }),
  );
}

/** The rule that a form stands for, as the API takes it. */
export function ruleOf(list: RuleList, values: Values): AnyRule {
  const body = Object.fromEntries(
    FIELDS[list].map(({ name, input }) => {
      const value = values[name];
      if (typeof value !== "string") return [name, value];
      const text = value.trim();
      switch (input) {
        case "place":
          return [name, text === "" ? EVERYWHERE : text];
        case "ports":
          return [name, text === "" ? "any" : text];
        case "list":
          return [name, text.split(",").map((part) => part.trim()).filter((part) => part !== "")];
        default:
          return [name, text];
      }
    }),
  );
  return (list === "ServicePorts" ? { Protocol: "tcp", ...body } : body) as unknown as AnyRule;
}
