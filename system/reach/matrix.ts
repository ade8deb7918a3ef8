import type { Config } from "../config.ts";
import type { Desired } from "../core/kernel/host.ts";
import type { Judgement } from "../core/kernel/ruleset.ts";
import { formatIpv4, inRange4, parseIpv4 } from "../core/net/net.ts";
import { EVERYWHERE, portSpan } from "../firewall/address_schema.ts";
import { net } from "../firewall/sets/boxes.ts";
import { filterTable, findSet } from "../firewall/judge/lookup.ts";
import type { ForwardingRule } from "../firewall/schema.ts";
import { uplinksOf } from "../network/flips/packet.ts";
import { isRestrictive } from "../firewall/sets/narrow.ts";
import { endOf, SOMEWHERE } from "./ends.ts";
import { type DeviceClass, deviceClasses } from "./matrix_classes.ts";
import type { Extent, MatrixClass, ReachMatrix } from "./matrix_schema.ts";
import { type Judge, reach } from "./reach.ts";
import type { ReachQuery } from "./schema.ts";

/** The state that the matrix is drawn from. */
export interface MatrixState {
  readonly config: Config;
  readonly desired: Desired;
}

interface Answer {
  readonly extent: Extent;
  readonly because: string;
}

interface Probe {
  readonly protocol: "tcp" | "udp" | "icmp";
  readonly dport?: number;
}

/** A port that no rule names by itself: it stands for all that are not named (RFC 863, discard). */
const UNNAMED = 9;
/** Ports that are tried between one pair, at most. */
const PORTS_MOST = 64;
/** Forwards that are tried, at most. */
const FORWARDS_MOST = 1000;

const NOWHERE: Answer = { extent: "nothing", because: "It has no place in the network" };
const DISABLED: Answer = { extent: "denied", because: "The device is disabled" };

/** Sets that take something away from everyone, unless something gives it. */
const BY_DEFAULT = ["supernetworks", "drop_private_rfc1918"];

function extentOf(verdict: Judgement["verdict"], set: string | undefined): Extent {
  if (verdict === "accept") return "everything";
  const forbids = set !== undefined && isRestrictive(set) && !BY_DEFAULT.includes(set);
  return forbids ? "denied" : "nothing";
}

function decides(judgement: Judgement): Answer {
  const step = judgement.steps.findLast((one) => one.outcome === judgement.verdict);
  return {
    extent: extentOf(judgement.verdict, step?.element?.set),
    because: step?.words ?? "Nothing stands in the way",
  };
}

/** Several answers about the same two ends as one. */
function together(answers: readonly Answer[]): Answer {
  const open = answers.find(({ extent }) => extent === "everything");
  const shut = answers.find(({ extent }) => extent === "denied") ??
    answers.find(({ extent }) => extent === "nothing");
  if (open === undefined) return shut ?? NOWHERE;
  return shut === undefined ? open : { extent: "part", because: open.because };
}

/** Connections that a pair is tried with: one of each sort that the rules about it tell apart. */
function probesOf(from: DeviceClass, to: DeviceClass): readonly Probe[] {
  const both = [...from.from].filter((mention) => to.to.has(mention));
  if (both.length === 0) return [{ protocol: "tcp", dport: UNNAMED }];
  const ports = new Set([UNNAMED]);
  for (const { element } of both) {
    const last = element.key.at(-1)!;
    const [low, high] = /^\d+(-\d+)?$/.test(last) ? portSpan(last) : [0, 65535];
    for (const port of [low, low - 1, high, high + 1]) {
      if (port >= 1 && port <= 65535 && ports.size < PORTS_MOST) ports.add(port);
    }
  }
  return [
    { protocol: "icmp" },
    ...[...ports].flatMap((dport): readonly Probe[] => [
      { protocol: "tcp", dport },
      { protocol: "udp", dport },
    ]),
  ];
}

function between(from: DeviceClass, to: DeviceClass, state: MatrixState, judge: Judge): Answer {
  if (from.disabled || to.disabled) return DISABLED;
  const source = from.addresses[0];
  const destination = to.addresses[from === to ? 1 : 0];
  if (!source || !destination) return NOWHERE;
  return together(
    probesOf(from, to).map((probe) => {
      const packet = judge.packet(state.desired, { source, destination, ...probe });
      return decides(judge.judge(state.desired, packet));
    }),
  );
}

function asked(query: ReachQuery, state: MatrixState, judge: Judge): Answer {
  const { verdict, because, rules } = reach(query, state, judge);
  const rule = rules.find((one) => one.decides);
  return { extent: extentOf(verdict, rule?.set), because: rule?.words ?? because };
}

/** What one end may open to the router, of all that the router offers that side. */
function toRouter(from: string, side: "lan" | "wan", state: MatrixState, judge: Judge): Answer {
  const table = filterTable(state.desired.ruleset);
  const open = table && findSet(table, `${side}_tcp_accept`);
  const queries: readonly Pick<ReachQuery, "protocol" | "port">[] = [
    { protocol: "icmp", port: "" },
    ...(side === "lan" ? [{ protocol: "udp", port: "53" } as const] : []),
    ...[...open?.elements.keys() ?? []].map((port) => ({ protocol: "tcp", port }) as const),
  ];
  return together(queries.map((query) => asked({ from, to: "router", ...query }, state, judge)));
}

/** An address of the router that a forward is for; any where it does not know its own. */
function calledBy(rule: ForwardingRule, state: MatrixState): string {
  if (!rule.SrcIP.includes("/")) return rule.SrcIP;
  const { address } = endOf("router", endOf("internet", null, state), state);
  const range = net(rule.SrcIP);
  const own = address === null ? null : parseIpv4(address);
  if (own !== null && inRange4(range, own)) return address!;
  return range.prefix === 0 ? SOMEWHERE : formatIpv4(range.first + 1);
}

/** Devices that a forward leads strangers to, with the words of its rule. */
function forwardedTo(state: MatrixState, judge: Judge): ReadonlyMap<string, string> {
  const led = new Map<string, string>();
  const { desired, config } = state;
  const [iif] = uplinksOf(desired.ruleset);
  if (iif === undefined) return led;
  const rules = config.firewall.ForwardingRules.filter(({ Disabled }) => !Disabled);
  for (const rule of rules.slice(0, FORWARDS_MOST)) {
    if (led.has(rule.DstIP)) continue;
    const from = net(rule.From[0] ?? EVERYWHERE);
    const seen = judge.packet(desired, {
      iif,
      source: from.prefix === 0 ? SOMEWHERE : formatIpv4(from.first + (from.prefix < 32 ? 1 : 0)),
      destination: calledBy(rule, state),
      protocol: rule.Protocol,
      dport: Math.max(1, portSpan(rule.SrcPort)[0]),
    });
    const { verdict, steps } = judge.judge(desired, { ...seen, oif: null });
    const step = steps.find(({ outcome }) => outcome === "translate");
    if (verdict === "accept" && step) led.set(rule.DstIP, step.words);
  }
  return led;
}

/** Numbers answers, each once. */
class Answers {
  readonly list: Answer[] = [];
  readonly #known = new Map<string, number>();

  number(answer: Answer): number {
    const key = `${answer.extent} ${answer.because}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = this.list.push(answer) - 1;
      this.#known.set(key, known);
    }
    return known;
  }
}

function common(lists: readonly (readonly string[])[]): string[] {
  const [first = [], ...rest] = lists;
  return first.filter((one) => rest.every((list) => list.includes(one)));
}

function shown({ members }: DeviceClass, { devices }: Config): MatrixClass {
  const known = members.flatMap((identity) => devices[identity] ?? []);
  return {
    kind: "device",
    members: [...members],
    groups: common(known.map(({ Groups }) => Groups)),
    policies: common(known.map(({ Policies }) => Policies)),
  };
}

/**
 * Who reaches whom among devices, the Internet and the router. Devices that every rule treats alike
 * share a row and a column, and are asked about once. Pure.
 */
export function reachMatrix(
  identities: readonly string[],
  state: MatrixState,
  judge: Judge,
): ReachMatrix {
  const devices = deviceClasses(identities, state);
  const answers = new Answers();
  const led = forwardedTo(state, judge);
  const place = ({ extent, because }: Answer): number => answers.number({ extent, because });
  const own = (one: DeviceClass, ask: (identity: string) => Answer): number =>
    place(one.disabled ? DISABLED : one.addresses[0] ? ask(one.members[0]!) : NOWHERE);
  const port = { protocol: "tcp", port: "443" } as const;
  const fromOutside = (one: DeviceClass): Answer => {
    const words = one.addresses[0] && led.get(one.addresses[0]);
    return words
      ? { extent: "part", because: words }
      : asked({ from: "internet", to: one.members[0]!, ...port }, state, judge);
  };
  const internet = { ...port, to: "internet" } as const;
  const cells = devices.map((from) => [
    ...devices.map((to) =>
      from === to && from.members.length < 2 ? -1 : place(between(from, to, state, judge))
    ),
    own(from, (identity) => asked({ from: identity, ...internet }, state, judge)),
    own(from, (identity) => toRouter(identity, "lan", state, judge)),
  ]);
  const outside = [
    ...devices.map((to) => own(to, () => fromOutside(to))),
    -1,
    place(toRouter("internet", "wan", state, judge)),
  ];
  const router = [
    ...devices.map((to) =>
      own(to, (identity) => asked({ from: "router", to: identity, ...port }, state, judge))
    ),
    place(asked({ from: "router", ...internet }, state, judge)),
    -1,
  ];
  const places = (["internet", "router"] as const).map((kind): MatrixClass => ({
    kind,
    members: [],
    groups: [],
    policies: [],
  }));
  return {
    classes: [...devices.map((one) => shown(one, state.config)), ...places],
    answers: answers.list,
    cells: [...cells, outside, router],
  };
}
