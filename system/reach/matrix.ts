import type { Config } from "../config.ts";
import { atOnce } from "../core/time/slices.ts";
import type { Desired } from "../core/kernel/desired.ts";
import type { PacketTrace } from "../core/kernel/ruleset.ts";
import { formatIpv4, inRange4, parseIpv4 } from "../core/net/net.ts";
import { EVERYWHERE, parsePorts } from "../firewall/address_schema.ts";
import { net } from "../firewall/sets/regions.ts";
import { addressBinding, filterTable, findSet } from "../firewall/trace/lookup.ts";
import type { ForwardingRule } from "../firewall/schema.ts";
import { uplinksOf } from "../network/reachability/packet.ts";
import { isRestrictive } from "../firewall/sets/transition.ts";
import { endOf, INTERNET_ADDRESS } from "./ends.ts";
import { type DeviceClass, deviceClasses, sharedElements } from "./matrix_classes.ts";
import { Answers, type CellAnswer, KnownAnswers } from "./cell_answers.ts";
import type { AccessLevel, MatrixClass, ReachMatrix } from "./matrix_schema.ts";
import { type PairAnswers, PairMemory } from "./pair_answers.ts";
import { type PacketTracer, reach } from "./reach.ts";
import type { ReachQuery } from "./schema.ts";
import { SharedRules } from "./shared_rules.ts";

/** The state that the matrix is drawn from. */
export interface MatrixState {
  readonly config: Config;
  readonly desired: Desired;
}

interface Probe {
  readonly protocol: "tcp" | "udp" | "icmp";
  readonly dport?: number;
}

/** A port that no rule names by itself: it stands for all that are not named (RFC 863, discard). */
const UNLISTED_PORT = 9;
const EVERY_PORT = [0, 65535] as const;
/** Ports that are tried between one pair, at most. */
const MAX_PORTS = 64;
/** Forwards that are tried, at most. */
const MAX_FORWARDS = 1000;

const NO_ADDRESS: CellAnswer = { access: "nothing", reason: "The device has no address" };
const DISABLED: CellAnswer = { access: "denied", reason: "The device is blocked" };

/** Sets that take something away from everyone, unless something gives it. */
const BY_DEFAULT = ["supernetworks", "drop_private_rfc1918"];

function accessOf(verdict: PacketTrace["verdict"], set: string | undefined): AccessLevel {
  if (verdict === "accept") return "everything";
  const forbids = set !== undefined && isRestrictive(set) && !BY_DEFAULT.includes(set);
  return forbids ? "denied" : "nothing";
}

function answerOf(trace: PacketTrace): CellAnswer {
  const step = trace.steps.findLast((one) => one.outcome === trace.verdict);
  return {
    access: accessOf(trace.verdict, step?.element?.set),
    reason: step?.comment ?? "Allowed: no rule blocks it",
  };
}

/** Several answers about the same two ends as one. */
function combined(answers: readonly CellAnswer[]): CellAnswer {
  const open = answers.find(({ access }) => access === "everything");
  const shut = answers.find(({ access }) => access === "denied") ??
    answers.find(({ access }) => access === "nothing");
  if (open === undefined) return shut ?? NO_ADDRESS;
  return shut === undefined ? open : { access: "part", reason: open.reason };
}

/**
 * Connections that a pair is tried with: one of each sort that the rules about it tell apart. Port
 * forwards are among them only where they can apply.
 */
function probesOf(from: DeviceClass, to: DeviceClass, isTranslated: boolean): readonly Probe[] {
  const both = sharedElements(from.networks, to.networks)
    .filter(({ element }) => isTranslated || !Array.isArray(element.value));
  if (both.length === 0) return [{ protocol: "tcp", dport: UNLISTED_PORT }];
  return [
    { protocol: "icmp" },
    ...(["tcp", "udp"] as const).flatMap((protocol) =>
      portsToldApart(
        both.map(({ element }) => element.key).filter((key) =>
          !key.includes(protocol === "tcp" ? "udp" : "tcp")
        ).map((key) => key.at(-1)!),
      ).map((dport): Probe => ({ protocol, dport }))
    ),
  ];
}

/** A port of each stretch of which the same ranges hold every port, and one that none of them holds. */
function portsToldApart(texts: readonly string[]): readonly number[] {
  const ranges = texts.map((text) => /^\d+(-\d+)?$/.test(text) ? parsePorts(text) : EVERY_PORT);
  const steps = new Map([[1, 0]]);
  for (const [low, high] of ranges) {
    const first = Math.max(low, 1);
    steps.set(first, (steps.get(first) ?? 0) + 1);
    steps.set(high + 1, (steps.get(high + 1) ?? 0) - 1);
  }
  const ports = new Set([UNLISTED_PORT]);
  let isFreeTried = !ranges.some(([low, high]) => low <= UNLISTED_PORT && UNLISTED_PORT <= high);
  let holding = 0;
  for (const [port, step] of [...steps].sort(([a], [b]) => a - b)) {
    holding += step;
    if (port > 65535 || ports.size >= MAX_PORTS || (holding === 0 && isFreeTried)) continue;
    ports.add(port);
    if (holding === 0) isFreeTried = true;
  }
  return [...ports];
}

function between(
  [from, to]: readonly [DeviceClass, DeviceClass],
  isTranslated: boolean,
  { state, tracer, pairs }: {
    readonly state: MatrixState;
    readonly tracer: PacketTracer;
    readonly pairs: PairAnswers<CellAnswer>;
  },
): CellAnswer {
  if (from.disabled || to.disabled) return DISABLED;
  const source = from.addresses[0];
  const destination = to.addresses[from === to ? 1 : 0];
  if (!source || !destination) return NO_ADDRESS;
  const find = (): CellAnswer =>
    combined(
      probesOf(from, to, isTranslated).map((probe) => {
        const packet = tracer.firstPacket(state.desired, { source, destination, ...probe });
        return answerOf(tracer.trace(state.desired, packet));
      }),
    );
  return isTranslated ? find() : pairs.get(source, destination, find);
}

function answerQuery(query: ReachQuery, state: MatrixState, tracer: PacketTracer): CellAnswer {
  const { verdict, reason, rules } = reach(query, state, tracer, { anonymous: true });
  const rule = rules.find((one) => one.decides);
  return { access: accessOf(verdict, rule?.set), reason: rule?.description ?? reason };
}

/** What one end may open to the router, of all that the router offers that side. */
function toRouter(
  from: string,
  side: "lan" | "wan",
  state: MatrixState,
  tracer: PacketTracer,
): CellAnswer {
  const table = filterTable(state.desired.ruleset);
  const open = table && findSet(table, `${side}_tcp_accept`);
  const queries: readonly Pick<ReachQuery, "protocol" | "port">[] = [
    { protocol: "icmp", port: "" },
    ...(side === "lan" ? [{ protocol: "udp", port: "53" } as const] : []),
    ...[...open?.elements.keys() ?? []].map((port) => ({ protocol: "tcp", port }) as const),
  ];
  return combined(
    queries.map((query) => answerQuery({ from, to: "router", ...query }, state, tracer)),
  );
}

/** An address of the router that a forward is for; any where it does not know its own. */
function publicAddress(rule: ForwardingRule, state: MatrixState): string {
  if (!rule.SrcIP.includes("/")) return rule.SrcIP;
  const { address } = endOf("router", endOf("internet", null, state), state);
  const range = net(rule.SrcIP);
  const own = address === null ? null : parseIpv4(address);
  if (own !== null && inRange4(range, own)) return address!;
  return range.prefix === 0 ? INTERNET_ADDRESS : formatIpv4(range.first + 1);
}

/** Devices that a port forward exposes to the Internet, with the words of its rule, in small steps. */
function* forwardedTo(
  state: MatrixState,
  tracer: PacketTracer,
): Generator<void, ReadonlyMap<string, string>> {
  const forwarded = new Map<string, string>();
  const { desired, config } = state;
  const [iif] = uplinksOf(desired.ruleset);
  if (iif === undefined) return forwarded;
  const rules = config.firewall.ForwardingRules.filter(({ Disabled }) => !Disabled);
  for (const rule of rules.slice(0, MAX_FORWARDS)) {
    if (forwarded.has(rule.DstIP)) continue;
    const from = net(rule.From[0] ?? EVERYWHERE);
    const packet = tracer.firstPacket(desired, {
      iif,
      source: from.prefix === 0
        ? INTERNET_ADDRESS
        : formatIpv4(from.first + (from.prefix < 32 ? 1 : 0)),
      destination: publicAddress(rule, state),
      protocol: rule.Protocol,
      dport: Math.max(1, parsePorts(rule.SrcPort)[0]),
    });
    const { verdict, steps } = tracer.trace(desired, { ...packet, oif: null });
    const step = steps.find(({ outcome }) => outcome === "translate");
    if (verdict === "accept" && step) forwarded.set(rule.DstIP, step.comment);
    yield;
  }
  return forwarded;
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
 * Answers to which ends a rule may send elsewhere what one end opens to them, where other pair rules
 * count: port forwards are looked at for what comes from an uplink, and for the router's own addresses
 * there. Most forwards are for every address, and would otherwise count for every device.
 */
function translations(
  devices: readonly DeviceClass[],
  { ruleset }: Desired,
): (from: DeviceClass) => ReadonlySet<DeviceClass> {
  const uplinks = new Set(uplinksOf(ruleset));
  const own = ruleset.tables.flatMap((table) => findSet(table, "uplink_addresses") ?? []);
  const those = (has: (address: string) => boolean) =>
    new Set(
      devices.filter(({ addresses }) =>
        addresses.some((address) => address !== null && has(address))
      ),
    );
  const outside = those((address) => uplinks.has(addressBinding(ruleset, address)?.link ?? ""));
  const called = those((address) => own.some(({ elements }) => elements.has(address)));
  const named = new Set(
    devices.filter(({ networks }) => [...networks].some((network) => network.isTranslated)),
  );
  const namedAndCalled = named.intersection(called);
  return (from) => outside.has(from) ? named : namedAndCalled;
}

/** Answers between pairs that are looked up without a pause. */
const LOOK_UPS_PER_STEP = 2000;

/** How often a matrix is begun while what blocks packets changes; the last is answered as it is. */
const MAX_BEGUN = 3;

/** What a matrix is computed with. */
interface MatrixParts {
  readonly tracer: PacketTracer;
  /** Keeps answers from one matrix to the next. */
  readonly memory: PairMemory<CellAnswer>;
}

/**
 * Who reaches whom among devices, the Internet and the router. Devices that every rule treats alike
 * share a row and a column, and are computed once; so are pairs. Yields after each small step. Begins
 * anew, twice at most, where what blocks packets beside the ruleset has changed meanwhile. Pure, but
 * for `memory`.
 */
export function* reachMatrixSteps(
  identities: readonly string[],
  state: MatrixState,
  parts: MatrixParts,
): Generator<void, ReachMatrix> {
  const basisNow = (): object | null => parts.tracer.traceBasis?.() ?? null;
  for (let begun = 1;; begun++) {
    const basis = basisNow();
    const matrix = yield* matrixSteps(identities, state, { ...parts, basis });
    if (basisNow() === basis || begun === MAX_BEGUN) return matrix;
  }
}

function* matrixSteps(
  identities: readonly string[],
  state: MatrixState,
  { tracer, memory, basis }: MatrixParts & { readonly basis: object | null },
): Generator<void, ReachMatrix> {
  const pairs = memory.of({ devices: state.config.devices, desired: state.desired, basis });
  yield;
  const devices = yield* deviceClasses(identities, state);
  yield;
  const answers = new Answers();
  const forwarded = yield* forwardedTo(state, tracer);
  yield;
  const known = new KnownAnswers(
    devices.reduce((most, { pairBase }) => Math.max(most, pairBase + 1), 1),
  );
  const translatedFrom = translations(devices, state.desired);
  const answerNumber = ({ access, reason }: CellAnswer): number =>
    answers.number({ access, reason });
  const own = (
    question: string,
    one: DeviceClass,
    ask: (identity: string) => CellAnswer,
  ): number =>
    known.alone(question, one, () => {
      if (one.disabled) return answerNumber(DISABLED);
      const [address] = one.addresses, identity = one.members[0]!;
      if (!address) return answerNumber(NO_ADDRESS);
      return answerNumber(pairs.get(address, `${question} ${identity}`, () => ask(identity)));
    });
  const port = { protocol: "tcp", port: "443" } as const;
  const internet = { ...port, to: "internet" } as const;
  const cells: number[][] = [];
  const rules = new SharedRules(devices);
  yield;
  let lookUps = 0;
  for (const from of devices) {
    const row: number[] = [];
    const sharedWith = rules.of(from), translatedTo = translatedFrom(from);
    for (const to of devices) {
      if (from === to && from.members.length < 2) {
        row.push(-1);
        continue;
      }
      const shared = sharedWith.get(to) ?? "";
      const translated = translatedTo.has(to);
      const isShared = from !== to && !translated;
      const before = isShared ? known.get(from, to, shared) : null;
      const answer = before ??
        answerNumber(between([from, to], translated, { state, tracer, pairs }));
      if (isShared && before === null) known.set(from, to, { shared, answer });
      row.push(answer);
      if (before === null || ++lookUps % LOOK_UPS_PER_STEP === 0) yield;
    }
    row.push(
      own(
        "internet",
        from,
        (identity) => answerQuery({ from: identity, ...internet }, state, tracer),
      ),
    );
    yield;
    row.push(own("router", from, (identity) => toRouter(identity, "lan", state, tracer)));
    yield;
    cells.push(row);
  }
  const fromInternet: number[] = [];
  const router: number[] = [];
  for (const to of devices) {
    const text = to.disabled ? undefined : forwarded.get(to.addresses[0] ?? "");
    fromInternet.push(
      text
        ? answerNumber({ access: "part", reason: text })
        : own("outside", to, (identity) =>
          answerQuery({ from: "internet", to: identity, ...port }, state, tracer)),
    );
    router.push(
      own(
        "inside",
        to,
        (identity) => answerQuery({ from: "router", to: identity, ...port }, state, tracer),
      ),
    );
    yield;
  }
  fromInternet.push(-1, answerNumber(toRouter("internet", "wan", state, tracer)));
  router.push(answerNumber(answerQuery({ from: "router", ...internet }, state, tracer)), -1);
  const namedClasses = (["internet", "router"] as const).map((kind): MatrixClass => ({
    kind,
    members: [],
    groups: [],
    policies: [],
  }));
  return {
    classes: [...devices.map((one) => shown(one, state.config)), ...namedClasses],
    answers: answers.list,
    cells: [...cells, fromInternet, router],
  };
}

/** What {@link reachMatrixSteps} comes to, at once. */
export function reachMatrix(
  identities: readonly string[],
  state: MatrixState,
  tracer: PacketTracer,
  memory = new PairMemory<CellAnswer>(),
): ReachMatrix {
  return atOnce(reachMatrixSteps(identities, state, { tracer, memory }));
}
