import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import type { Desired } from "../../../system/core/kernel/desired.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { reach } from "../../../system/reach/reach.ts";
import type { ReachAnswer, ReachQuery } from "../../../system/reach/schema.ts";
import { buildLab, INTERNET, type Lab, PROVIDER, UPLINK } from "../../kit/lab/lab.ts";
import { must } from "../../kit/lab/command.ts";
import { startNetdIn } from "../../kit/lab/netd.ts";
import {
  anyCommon,
  anyHoldings,
  firewallOf,
  type Holdings,
} from "../../kit/builders/random_network.ts";
import { anyRules } from "../../kit/builders/random_rules.ts";
import { frameBytes, ipBytes, type RawPacket } from "../../kit/sockets/raw_packets.ts";
import { RawSockets } from "../../kit/sockets/raw_socket.ts";
import { link, network, seenOn } from "../../kit/builders/small_network.ts";
import { forgetPackets, watchedPackets, watchPackets } from "../../kit/lab/watch_table.ts";

const planner = networkPlanner();

/** Milliseconds for all networks, and another seed for another walk through them. */
const TIME = 40_000, SEED = Number(Deno.env.get("SLUICE_TEST_SEED") ?? 20_240_607);
const NETWORKS = 150;
/** How often it is looked again for packets that are still under way, a tenth of a second apart. */
const LOOKS = 20;
const ADDRESSES = Array.from({ length: 7 }, (_, i) => `192.168.2.${4 * (i + 1) + 2}`);
const FIRST_ID = 20_000;

/** A device of the bed: its card, and the client at whose cable it hangs. */
interface Guest {
  readonly mac: string;
  readonly client: number;
  readonly address: string;
}

interface Bed {
  readonly lab: Lab;
  readonly guests: readonly Guest[];
  move(config: Config): Promise<Desired>;
  /** Sends a packet from where an answer says that it comes from; false when it cannot be sent. */
  send(packet: RawPacket, answer: ReachAnswer): boolean;
}

interface Probe {
  readonly query: ReachQuery;
  readonly answer: ReachAnswer;
  readonly packet: RawPacket;
}

/** Everything that a question can be about in the bed. */
function ends(guests: readonly Guest[]): { from: readonly string[]; to: readonly string[] } {
  const publicAddresses = [INTERNET, "8.8.8.8", PROVIDER];
  const home = ["192.168.2.250", "192.168.2.8", "192.168.2.7"];
  return {
    from: [
      ...guests.map(({ mac }) => mac),
      "router",
      "internet",
      ...publicAddresses,
      home[0]!,
      "224.0.0.5",
    ],
    to: [
      ...guests.map(({ mac }) => mac),
      ...["router", "internet", UPLINK, "192.168.2.1", "192.168.2.9"],
      ...[...publicAddresses, "10.99.0.1", "169.254.7.7", "100.64.9.9", ...home],
      ...["127.0.0.1", "0.0.0.0", "255.255.255.255", "240.0.0.1"],
    ],
  };
}

const PORTS = [
  ["tcp", "22"],
  ["tcp", "80"],
  ["tcp", "8443"],
  ["tcp", "53"],
  ["tcp", "7"],
  ["tcp", "443"],
  ["tcp", "8005"],
  ["udp", "7"],
  ["udp", "443"],
  ["udp", "53"],
  ["udp", "123"],
  ["icmp", ""],
] as const;

/** Each pair of ends once or twice, what is asked turning with each network. */
function probes(bed: Bed, state: { config: Config; desired: Desired }, turn: number): Probe[] {
  const { from, to } = ends(bed.guests);
  const list: Probe[] = [];
  from.forEach((source, i) =>
    to.forEach((target, j) => {
      for (const offset of [0, 4]) {
        const [protocol, port] = PORTS[(i * 5 + j * 3 + turn + offset) % PORTS.length]!;
        const query: ReachQuery = { from: source, to: target, protocol, port };
        const answer = reach(query, state, planner);
        if (answer.from.address === null || answer.to.address === null) continue;
        // A packet from a machine to itself never leaves it.
        if (answer.from.address === answer.to.address) continue;
        const id = FIRST_ID + list.length;
        const packet = {
          source: answer.from.address,
          destination: answer.to.address,
          ...{ protocol, id, port: Number(port) },
        };
        list.push({ query, answer, packet });
      }
    })
  );
  return list;
}

async function withBed(work: (bed: Bed) => Promise<void>): Promise<void> {
  const lab = await buildLab({ clients: 3, name: "reach" });
  try {
    using sockets = new RawSockets();
    await using netd = await startNetdIn(lab);
    await watchPackets(lab);
    const guests = ADDRESSES.map((address, i) => ({
      mac: `02:00:00:00:10:0${i}`,
      client: i % lab.clients.length,
      address,
    }));
    let desired: Desired | null = null;
    const seen = seenOn(
      Object.fromEntries(guests.map(({ mac, client }) => [mac, lab.clients[client]!.link])),
    );
    await work({
      lab,
      guests,
      send: await sender(lab, guests, sockets),
      move: async (config) => {
        const facts = await netd.host.facts();
        const next = planner.desire(config, seen, facts);
        const plan = desired ? planner.diff(desired, next) : planner.reconcile(next, facts);
        for (const step of plan.steps) await netd.host.apply(step);
        return desired = next;
      },
    });
  } finally {
    await lab.close();
  }
}

/** Where packets of the bed are put on the wire: each device's own cable, the Internet, the router. */
async function sender(
  lab: Lab,
  guests: readonly Guest[],
  sockets: RawSockets,
): Promise<Bed["send"]> {
  const card = async (space: string, name: string) => {
    const [found] = JSON.parse(
      await must("ip", ["-n", lab.space(space), "-j", "link", "show", "dev", name]),
    );
    return found as { address: string; ifindex: number };
  };
  const cable = async (space: string, end: string, router: string) => ({
    wire: sockets.frames(lab.space(space), (await card(space, end)).ifindex),
    from: (await card(space, end)).address,
    to: (await card("router", router)).address,
  });
  const wan = await cable("wan", "wan0", "wan0");
  const home: (typeof wan)[] = [];
  for (const client of lab.clients) home.push(await cable(client.name, "eth0", client.link));
  const own = sockets.packets(lab.space("router"));
  return (packet, { from }) => {
    if (from.kind === "router") return own(ipBytes(packet), packet.destination);
    const guest = guests.find(({ address }) => address === packet.source);
    if (guest) {
      const { wire, to } = home[guest.client]!;
      return wire(frameBytes(packet, { from: guest.mac, to }));
    }
    const { wire, ...cards } = packet.source.startsWith("192.168.") ? home[0]! : wan;
    return wire(frameBytes(packet, cards));
  };
}

function configOf(
  bed: Bed,
  held: readonly Holdings[],
  common: Parameters<typeof firewallOf>[0] & Pick<Config, "groups">,
  rules: Partial<Config["firewall"]>,
): Config {
  const devices = bed.guests.slice(0, held.length).map(({ mac, address }, i) =>
    [mac, { ip: address, tags: i % 2 === 0 ? ["nas"] : [], ...held[i] }] as const
  );
  return network(Object.fromEntries(devices), {
    groups: common.groups,
    firewall: { ...firewallOf(common), ...rules },
    interfaces: [
      link("wan0", "Uplink", { DisableDHCP: true, IP: `${UPLINK}/24`, Router: PROVIDER }),
      ...bed.lab.clients.map((client) => link(client.link, "Downlink")),
    ],
  });
}

/** Sends all packets and compares what became of them; answers how many passed. */
async function compare(bed: Bed, all: readonly Probe[]): Promise<number> {
  // A connection that is known from the network before would pass as its reply.
  await bed.lab.must("router", "conntrack", ["-F"]);
  await forgetPackets(bed.lab);
  const sent = all.filter(({ packet, answer }) => bed.send(packet, answer));
  assert.ok(sent.length > all.length * 0.9, `${sent.length} of ${all.length} could be sent`);
  const look = async () => {
    const { came, passed } = await watchedPackets(bed.lab);
    return {
      passed,
      lost: sent.filter(({ packet }) => !came.has(packet.id)),
      wrong: sent.filter(({ answer, packet }) =>
        (answer.verdict === "accept") !== passed.has(packet.id)
      ),
    };
  };
  let { passed, lost, wrong } = await look();
  // On a busy machine packets lie about for a while, and some of so many at once are thrown away.
  for (let left = LOOKS; left > 0 && lost.length + wrong.length > 0; left--) {
    for (const { packet, answer } of lost) bed.send(packet, answer);
    await new Promise((resolve) => setTimeout(resolve, 100));
    ({ passed, lost, wrong } = await look());
  }
  assert.deepEqual(lost.map(({ query }) => query), [], "packets that never came to the router");
  assert.deepEqual(
    wrong.map(({ query, answer, packet }) => ({
      query,
      packet,
      kernel: passed.has(packet.id) ? "accept" : "drop",
      reach: answer.verdict,
      reason: answer.reason,
    })),
    [],
  );
  return passed.size;
}

Deno.test("reach and the kernel agree about random packets in random networks", () =>
  withBed(async (bed) => {
    const held = fc.array(anyHoldings, { minLength: 1, maxLength: ADDRESSES.length });
    const rules = fc.oneof(fc.constant({}), { arbitrary: anyRules, weight: 2 });
    const turns = fc.nat(PORTS.length - 1);
    const count = { networks: 0, packets: 0, passed: 0 };
    await fc.assert(
      fc.asyncProperty(held, anyCommon, rules, turns, async (holds, common, listed, turn) => {
        const config = configOf(bed, holds, common, listed);
        const desired = await bed.move(config);
        const all = probes(bed, { config, desired }, turn);
        count.passed += await compare(bed, all);
        count.networks++;
        count.packets += all.length;
      }),
      { seed: SEED, numRuns: NETWORKS, interruptAfterTimeLimit: TIME },
    );
    assert.ok(count.packets > 500, `only ${count.packets} packets`);
    assert.ok(count.passed > count.packets / 50, `only ${count.passed} passed`);
  }));
