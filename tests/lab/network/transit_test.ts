import assert from "node:assert/strict";
import { INTERNET, type Lab, UPLINK } from "../../kit/lab/lab.ts";
import { type Bed, eventually, give, withBed } from "../../kit/lab/bed.ts";
import type { LabProcess } from "../../kit/lab/command.ts";

/** A stream of datagrams, one a millisecond, and where it would arrive. */
interface Probe {
  readonly text: string;
  readonly from: string;
  readonly source?: string;
  readonly target: string;
  /** Namespace in which arrivals are counted. */
  readonly at: string;
  readonly port: number;
  readonly how?: "fresh";
}

class Running {
  readonly probe: Probe;
  readonly #lab: Lab;
  readonly #process: LabProcess;

  constructor(lab: Lab, probe: Probe) {
    this.probe = probe;
    this.#lab = lab;
    const { source = "0.0.0.0", target, port, how = "steady" } = probe;
    this.#process = lab.deno(probe.from, "udp_probe.ts", [source, target, String(port), how]);
  }

  async ready(): Promise<void> {
    await this.#process.line(/^ready$/);
  }

  async arrived(): Promise<number> {
    const list = ["list", "counter", "inet", "probe", `p${this.probe.port}`];
    const text = await this.#lab.must(this.probe.at, "nft", list);
    return Number(/packets (\d+)/.exec(text)?.[1]);
  }

  /** Ends the stream. Answers how many were sent and how many arrived in the end. */
  async end(): Promise<{ readonly sent: number; readonly arrived: number }> {
    const last = this.#process.line(/^sent \d+$/);
    await this.#process.stop("SIGTERM");
    const sent = Number((await last).split(" ")[1]);
    let arrived = -1;
    await eventually("no more arrive", async () => {
      const before = arrived;
      arrived = await this.arrived();
      return arrived === before;
    });
    return { sent, arrived };
  }
}

async function countAt(lab: Lab, space: string, ports: readonly number[]): Promise<void> {
  const rules = ports.map((port) => `  udp dport ${port} counter name p${port}`);
  const counters = ports.map((port) => ` counter p${port} {\n }`);
  const lines = [
    "table inet probe {",
    ...counters,
    " chain in {",
    "  type filter hook prerouting priority -300; policy accept;",
    ...rules,
    " }",
    "}",
  ];
  await lab.must(space, "nft", ["-f", "-"], `${lines.join("\n")}\n`);
}

/**
 * Datagrams that a busy machine may lose by itself. One leaves each millisecond, and any gap of ours
 * lasts more: a reload alone takes more than ten.
 */
const STRAY = 5;

/** Everything that moves something, while the probes run. */
async function move({ lab, router, clients }: Bed): Promise<void> {
  const [a, b, , d] = clients.map(({ mac }) => mac) as [string, string, string, string];
  const spare = lab.clients[4]!;
  const lease = (link: string): Promise<unknown> => router.lease({ name: "a", mac: a, link: link });
  for (let round = 0; round < 4; round++) {
    // Two devices swap what they hold.
    await Promise.all([
      give(router, a, { Policies: round % 2 === 0 ? [] : ["wan"] }),
      give(router, b, { Policies: round % 2 === 0 ? ["wan"] : [] }),
    ]);
    // A device moves to another link and back.
    await lease(spare.link);
    await lease(clients[0]!.link);
    // Groups open and close.
    await give(router, a, { Groups: ["kids"] });
    await give(router, d, { Groups: ["kids"] });
    await give(router, a, { Groups: [] });
    await give(router, d, { Groups: [] });
    // Everything is loaded anew.
    assert.equal((await router.api("PUT", "/network/repair")).status, 200);
    await lab.must("router", "nft", [
      "delete",
      "element",
      "inet",
      "filter",
      "lan_tcp_accept",
      "{ 22 }",
    ]);
    if (round === 1) {
      await router.stop("SIGTERM");
      await router.start();
    }
    if (round === 2) {
      await router.stop("SIGKILL");
      await router.start();
    }
  }
}

Deno.test("while everything moves, nothing passes that neither state allows, and nothing allowed is lost", () =>
  withBed({ name: "transit", lab: { clients: 5 }, leases: 4 }, async (bed) => {
    const { lab, router, clients } = bed;
    const [a, b, c, d] = clients;
    await give(router, a!.mac, { Policies: ["wan"] });
    await give(router, d!.mac, { Policies: ["wan"] });
    // The Internet knows the way to the home networks, and b has a's address as well.
    await lab.must("wan", "ip", ["route", "add", "192.168.2.0/24", "via", UPLINK]);
    await lab.must("b", "ip", ["address", "add", `${a!.IP}/32`, "dev", "eth0"]);
    const never: readonly Probe[] = [
      {
        text: "c, without wan, to the Internet",
        from: "c",
        target: INTERNET,
        at: "wan",
        port: 9001,
      },
      { text: "b as a", from: "b", source: a!.IP, target: INTERNET, at: "wan", port: 9002 },
      { text: "c to b, of no common group", from: "c", target: b!.IP, at: "b", port: 9003 },
      { text: "the Internet to b", from: "wan", target: b!.IP, at: "b", port: 9004 },
      { text: "d to c, of no common group", from: "d", target: c!.IP, at: "c", port: 9005 },
    ];
    const always: readonly Probe[] = [
      { text: "d's connection", from: "d", target: INTERNET, at: "wan", port: 9006 },
      {
        text: "d's new connections",
        from: "d",
        target: INTERNET,
        at: "wan",
        port: 9007,
        how: "fresh",
      },
    ];
    await countAt(lab, "wan", [9001, 9002, 9006, 9007]);
    await countAt(lab, "b", [9003, 9004]);
    await countAt(lab, "c", [9005]);
    const running = [...never, ...always].map((probe) => new Running(lab, probe));
    await Promise.all(running.map((probe) => probe.ready()));
    const held = await lab.hold("d", INTERNET);
    await move(bed);
    for (const one of running) {
      const { sent, arrived } = await one.end();
      assert.ok(sent > 1000, `${one.probe.text}: only ${sent} sent`);
      const text = `${one.probe.text}: ${arrived} of ${sent} arrived`;
      if (never.includes(one.probe)) assert.equal(arrived, 0, text);
      else assert.ok(sent - arrived <= STRAY, text);
    }
    assert.equal(held.alive, true, "a held connection goes on");
    await held.close();
    // What the counters would have shown.
    await give(router, c!.mac, { Policies: ["wan"] });
    const open = new Running(lab, never[0]!);
    await open.ready();
    await eventually("with wan, c's datagrams arrive", async () => await open.arrived() > 0);
    await open.end();
  }));
