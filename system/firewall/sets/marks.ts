import type { Chain, Match, Rule, Table } from "../../core/kernel/ruleset.ts";
import { mergeNetworks } from "../../core/net/net.ts";
import { is, isNot, rule, within, without } from "../chains/rule.ts";
import { interfaceSet, plainSet } from "./sets.ts";

/** Name of the table that gives connections their uplink. */
export const MARKS_TABLE = "mangle";

/**
 * By what connections are given to uplinks: both ends, the device alone, each connection at random,
 * or all to the first uplink.
 */
export type Balance = "pair" | "source" | "connection" | "off";

/** What is equal among connections that take the same uplink. */
const TOGETHER = {
  pair: ["ip saddr", "ip daddr"],
  source: ["ip saddr"],
  connection: [],
} as const;

/** One uplink of several: its link, and the number of its table and mark. */
export interface MarkedUplink {
  readonly link: string;
  readonly mark: number;
  /** The router's address there, without prefix; null while that is not known. */
  readonly address: string | null;
  /** Its part of the new connections from home, beside those of the others; 0 none. */
  readonly weight: number;
}

/** What the marks are computed from. */
export interface MarkSources {
  readonly uplinks: readonly MarkedUplink[];
  readonly balance: Balance;
  /** Every link to the outside, also those that are no way at present. */
  readonly links: readonly string[];
  /** The home networks, in CIDR form. */
  readonly networks: readonly string[];
}

const NOT_UPLINK = without("uplink_interfaces", "iifname");
const UNMARKED = is("ct mark", "0");
const IPV4 = is("meta nfproto", "ipv4");
const LOCAL = is("fib daddr type", "local");
const TO_LAN_ADDRESS = within("supernetworks", "ip daddr");

/** The chain of connections that have no mark. */
const OPEN_CHAIN = "OPEN_BEFORE";

/** Gives new connections from home to the uplinks that take some. */
function spread({ uplinks, balance }: MarkSources): readonly Rule[] {
  const shares = uplinks.filter(({ weight }) => weight > 0)
    .map(({ mark, weight }) => ({ mark, weight }));
  const [first] = shares;
  if (first === undefined) return [];
  const when: readonly Match[] = [
    NOT_UPLINK,
    isNot("iifname", "lo"),
    IPV4,
    is("ct state", "new"),
    UNMARKED,
    isNot("fib daddr type", "local", "broadcast", "multicast"),
    without("supernetworks", "ip daddr"),
  ];
  if (balance === "off" || shares.length === 1) {
    const text = "New connection: first uplink";
    return [rule(text, { kind: "mark", mark: first.mark }, ...when)];
  }
  const text = "New connection: balanced over the uplinks";
  return [rule(text, { kind: "spread", fields: TOGETHER[balance], shares }, ...when)];
}

/**
 * Connections that began while there was one uplink alone, so that nothing marked them: they are known
 * by the router's address that they use. What several uplinks have tells none of them.
 */
function openBefore({ uplinks }: MarkSources): Chain {
  const known = uplinks.flatMap(({ link, mark, address }) =>
    address === null || uplinks.some((one) => one.link !== link && one.address === address)
      ? []
      : [{ link, mark, address }]
  );
  // A port forward may be called by an uplink's address from home: that uses no uplink.
  const indoors = [
    rule("Connection to the router itself", { kind: "return" }, NOT_UPLINK, LOCAL),
    rule("Connection within the LAN", { kind: "return" }, NOT_UPLINK, TO_LAN_ADDRESS),
  ];
  return {
    name: OPEN_CHAIN,
    rules: known.length === 0 ? [] : [
      ...indoors,
      ...known.flatMap(({ link, mark, address }) => [
        rule(
          `Existing outbound connection stays on ${link}`,
          { kind: "mark", mark },
          is("ct reply ip daddr", address),
        ),
        rule(
          `Existing inbound connection stays on ${link}`,
          { kind: "mark", mark },
          is("ct state", "established", "related"),
          is("ct original ip daddr", address),
        ),
      ]),
    ],
  };
}

/**
 * The table `inet mangle` of a router with several uplinks: a connection stays on the uplink that it
 * was given or came in by, and so do the replies of what is forwarded.
 */
export function marksTable(sources: MarkSources): Table {
  const { uplinks, links, networks } = sources;
  const prerouting: Chain = {
    name: "PREROUTING",
    hook: { type: "filter", hook: "prerouting", priority: -150, policy: "accept" },
    rules: [
      ...uplinks.map(({ link, mark }) =>
        rule(
          `Inbound connection on ${link} is answered on ${link}`,
          { kind: "mark", mark },
          is("iifname", link),
          is("ct state", "new"),
          UNMARKED,
        )
      ),
      rule(
        "Connections older than load balancing",
        { kind: "jump", chain: OPEN_CHAIN },
        UNMARKED,
      ),
      ...spread(sources),
      rule(
        "LAN connection stays on its uplink",
        { kind: "restore-mark" },
        NOT_UPLINK,
        isNot("ct mark", "0"),
      ),
    ],
  };
  const output: Chain = {
    name: "OUTPUT",
    hook: { type: "route", hook: "output", priority: -150, policy: "accept" },
    rules: [
      rule(
        "Router replies on the uplink of the request",
        { kind: "restore-mark" },
        isNot("ct mark", "0"),
      ),
    ],
  };
  return {
    family: "inet",
    name: MARKS_TABLE,
    sets: [
      interfaceSet("uplink_interfaces", links),
      { ...plainSet("supernetworks", "ipv4_addr", mergeNetworks(networks)), interval: true },
    ],
    chains: [prerouting, output, openBefore(sources)],
  };
}
