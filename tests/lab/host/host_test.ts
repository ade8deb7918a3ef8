import assert from "node:assert/strict";
import type { LinkFact } from "../../../system/core/kernel/facts.ts";
import type { Flow, Host, KernelEvent } from "../../../system/core/kernel/host.ts";
import type { IpOp, RulesetOp } from "../../../system/core/kernel/plan.ts";
import { INTERNET } from "../../kit/lab/lab.ts";
import { eventually } from "../../kit/lab/bed.ts";
import { inLabWithNetd as inLab } from "../../kit/lab/netd.ts";
import { pass, smallRuleset } from "../../kit/builders/small_ruleset.ts";

const A = "192.168.2.6";
const B = "192.168.2.10";
const IN = { family: "inet", table: "small" } as const;

const apply = (host: Host, ...ops: readonly RulesetOp[]): Promise<void> =>
  host.apply({ kind: "ruleset", ops });
const ip = (host: Host, ...ops: readonly IpOp[]): Promise<void> => host.apply({ kind: "ip", ops });

Deno.test("facts() lists the kernel's state", () =>
  inLab(async (lab, { host }) => {
    await lab.must("router", "nft", ["add", "table", "ip", "foreign"]);
    let facts = await host.facts();
    const wan0 = (): LinkFact | undefined => facts.links.find((link) => link.name === "wan0");
    // The kernel notices a carrier a moment after the far end is up.
    await eventually("its far end is noticed", async () => {
      facts = await host.facts();
      return wan0()?.running === true;
    });
    const uplink = wan0();
    assert.deepEqual({ up: uplink?.up, running: uplink?.running, kind: uplink?.kind }, {
      ...{ up: true, running: true, kind: "veth" },
    });
    assert.ok(
      facts.addresses.some((one) => one.link === "cl-a" && one.address === "192.168.2.5/30"),
    );
    assert.ok(facts.routes.some((one) => one.destination === "default" && one.link === "wan0"));
    assert.equal(facts.forwarding, true);
    assert.deepEqual(facts.tables, [{ family: "ip", name: "foreign", comment: null }]);
    assert.equal(facts.capabilities.bridge, true);
    assert.equal(await host.routeTo(INTERNET), "wan0");
    assert.equal(await host.routeTo(A), "cl-a");
    assert.equal(await host.routeTo("192.168.2.5"), "lo");
  }));

Deno.test("probing capabilities leaves nothing behind", () =>
  inLab(async (lab, { host }) => {
    await host.facts();
    const links = await lab.must("router", "ip", ["-br", "link"]);
    assert.doesNotMatch(links, /probe/);
    assert.equal(await lab.must("router", "nft", ["list", "ruleset"]), "");
  }));

Deno.test("a ruleset step is one transaction, and a refused one changes nothing", () =>
  inLab(async (lab, { host }) => {
    assert.equal(await lab.ping("a", INTERNET), true);
    await host.apply({ kind: "load", ruleset: smallRuleset([A, "cl-a"]) });
    assert.deepEqual((await host.facts()).tables, [
      { family: "inet", name: "small", comment: "sluice" },
    ]);
    assert.equal(await lab.ping("a", INTERNET), true);
    assert.equal(await lab.ping("b", INTERNET), false);
    const added = { op: "add-elements", ...IN, set: "passes" } as const;
    await assert.rejects(
      apply(host, { ...added, elements: [pass(B, "cl-b")] }, {
        ...added,
        op: "delete-elements",
        elements: [pass("192.168.2.99", "cl-b")],
      }),
      { status: 502, message: /nftables refused: .*No such file or directory/ },
    );
    assert.equal(await lab.ping("b", INTERNET), false);
    await apply(host, { ...added, elements: [pass(B, "cl-b")] });
    assert.equal(await lab.ping("b", INTERNET), true);
    await host.apply({ kind: "load", ruleset: smallRuleset([B, "cl-b"]) });
    assert.equal(await lab.ping("a", INTERNET), false);
    assert.equal(await lab.ping("b", INTERNET), true);
  }));

Deno.test("an ip step reports the failing line and keeps the lines before it", () =>
  inLab(async (_lab, { host }) => {
    await assert.rejects(
      ip(
        host,
        { op: "add-address", link: "cl-a", address: "192.168.2.21/30" },
        { op: "add-address", link: "cl-a", address: "192.168.2.5/30" },
        { op: "add-address", link: "cl-a", address: "192.168.2.25/30" },
      ),
      {
        status: 502,
        message:
          'The kernel refused "address add 192.168.2.5/30 dev cl-a": ipv4: Address already assigned',
      },
    );
    const addresses = (await host.facts()).addresses.map((one) => one.address);
    assert.ok(addresses.includes("192.168.2.21/30"));
    assert.ok(!addresses.includes("192.168.2.25/30"));
  }));

Deno.test("forwarding is switched on its own", () =>
  inLab(async (lab, { host }) => {
    await host.apply({ kind: "forwarding", on: false });
    assert.equal((await host.facts()).forwarding, false);
    assert.equal(await lab.ping("a", INTERNET), false);
    await host.apply({ kind: "forwarding", on: true });
    assert.equal(await lab.ping("a", INTERNET), true);
  }));

Deno.test("exactly the given conntrack entries are flushed, translated ones included", () =>
  inLab(async (lab, { host }) => {
    await host.apply({ kind: "load", ruleset: smallRuleset([A, "cl-a"], [B, "cl-b"]) });
    await lab.must(
      "router",
      "nft",
      ["-f", "-"],
      `table ip away {
      chain out {
        type nat hook postrouting priority 100;
        oifname "wan0" masquerade
      }
    }`,
    );
    const [first, second, other] = await Promise.all([
      lab.hold("a", INTERNET),
      lab.hold("a", INTERNET),
      lab.hold("b", INTERNET),
    ]);
    const tcp = (await host.flows([A])).filter((flow) => flow.protocol === "tcp");
    assert.equal(tcp.length, 2);
    for (const flow of tcp) {
      assert.deepEqual(
        [flow.source, flow.destination, flow.dport, flow.replySource, flow.replyDestination],
        [A, INTERNET, 7, INTERNET, "203.0.113.2"],
      );
    }
    assert.equal((await host.flows(["203.0.113.2"])).length >= 3, true);
    // Nothing new may begin, so that what is cut cannot begin anew with its next packet.
    await apply(host, {
      op: "delete-elements",
      ...IN,
      set: "passes",
      elements: [pass(A, "cl-a"), pass(B, "cl-b")],
    });
    await host.flushFlows([tcp[0]!, { ...tcp[0]!, sport: 1 }]);
    const left = await host.flows([A, B]);
    assert.deepEqual(left.filter((flow) => flow.source === A), [tcp[1]]);
    await Promise.race([first.broke, second.broke]);
    assert.equal([first, second].filter((held) => held.alive).length, 1);
    assert.equal(other.alive, true);
    await Promise.all([first, second, other].map((held) => held.close()));
  }));

Deno.test("new and ended connections are followed without another dump", () =>
  inLab(async (lab, { host }) => {
    await host.apply({ kind: "load", ruleset: smallRuleset([A, "cl-a"], [B, "cl-b"]) });
    const ports = async (): Promise<readonly (number | undefined)[]> =>
      (await host.flows([A])).filter(({ protocol }) => protocol === "tcp")
        .map(({ source, sport }) => (assert.equal(source, A), sport)).sort();
    const old = await lab.hold("a", INTERNET);
    const [first] = await ports();
    const [young, other] = await Promise.all([lab.hold("a", INTERNET), lab.hold("b", INTERNET)]);
    const both = await ports();
    assert.equal(both.length, 2);
    assert.ok(both.includes(first));
    await lab.must("router", "conntrack", ["-D", "-p", "tcp", "-s", A, "--sport", String(first)]);
    assert.deepEqual((await ports()).filter((port) => port !== first).length, 1);
    // More than the kernel holds for us at once: nothing of it is missed.
    const lines = Array.from(
      { length: 30_000 },
      (_, i) =>
        `-A -t 600 -u SEEN_REPLY,ASSURED -s ${A} -d 198.51.100.${i % 200 + 1} ` +
        `-r 198.51.100.${i % 200 + 1} -q ${A} -p udp --sport ${10000 + i} --dport 443 ` +
        `--reply-port-src 443 --reply-port-dst ${10000 + i}\n`,
    );
    await lab.must("router", "conntrack", ["--load-file", "-"], lines.join(""));
    const listed = (await host.flows([A])).filter(({ protocol }) => protocol === "udp");
    const ours = listed.filter(({ dport }) => dport === 443).map(({ sport }) => sport);
    assert.equal(new Set(ours).size, 30_000);
    await Promise.all([old, young, other].map((held) => held.close()));
  }));

Deno.test("two thousand connections of one device are flushed, and no others", () =>
  inLab(async (lab, { host }) => {
    await host.apply({ kind: "load", ruleset: smallRuleset() });
    const lines = Array.from({ length: 6000 }, (_, i) => {
      const client = i % 3 === 0 ? A : B;
      return `-A -t 600 -u SEEN_REPLY,ASSURED -s ${client} -d ${INTERNET} -r ${INTERNET} ` +
        `-q 203.0.113.2 -p ${i % 2 === 0 ? "tcp --state ESTABLISHED" : "udp"} ` +
        `--sport ${10000 + i} --dport 443 --reply-port-src 443 --reply-port-dst ${10000 + i}\n`;
    });
    await lab.must("router", "conntrack", ["--load-file", "-"], lines.join(""));
    const flows = await host.flows([A]);
    assert.equal(flows.length, 2000);
    await host.flushFlows(flows);
    assert.equal((await host.flows([A])).length, 0);
    assert.equal((await host.flows([B])).length, 4000);
  }));

Deno.test("an IPv6 conntrack entry is found and flushed", () =>
  inLab(async (lab, { host }) => {
    const line = "-A -t 600 -u SEEN_REPLY,ASSURED -s fd00::6 -d fd00::7 -r fd00::7 -q fd00::6 " +
      "-p tcp --state ESTABLISHED --sport 10000 --dport 443 --reply-port-src 443 " +
      "--reply-port-dst 10000\n";
    await lab.must(
      "router",
      "conntrack",
      ["--load-file", "-"],
      line + line.replaceAll("::6", "::8"),
    );
    const flows = await host.flows(["fd00::6"]);
    assert.equal(flows.length, 1);
    await host.flushFlows(flows);
    assert.deepEqual(await host.flows(["fd00::6"]), []);
    assert.equal((await host.flows(["fd00::8"])).length, 1);
  }));

Deno.test("the nft tool replaces libnftables where it is missing", () =>
  inLab(async (lab, { host, process }) => {
    await host.apply({ kind: "load", ruleset: smallRuleset([A, "cl-a"]) });
    assert.match(process.output, /Using the nft tool/);
    assert.equal((await host.facts()).tables[0]?.comment, "sluice");
    await assert.rejects(
      apply(host, { op: "delete-elements", ...IN, set: "passes", elements: [pass(B, "cl-b")] }),
      { status: 502, message: /nftables refused: [^]*No such file or directory/ },
    );
    const held = await lab.hold("a", INTERNET);
    await apply(host, {
      op: "delete-elements",
      ...IN,
      set: "passes",
      elements: [pass(A, "cl-a")],
    });
    await host.flushFlows(await host.flows([A]));
    assert.deepEqual(await host.flows([A]), []);
    assert.equal(await held.broke, "stalled");
    await held.close();
  }, { libnftables: false }));

Deno.test("an ICMP conntrack entry is found and flushed", () =>
  inLab(async (lab, { host }) => {
    await host.apply({ kind: "load", ruleset: smallRuleset([A, "cl-a"]) });
    assert.equal(await lab.ping("a", INTERNET), true);
    const flows: readonly Flow[] = await host.flows([A]);
    assert.deepEqual(flows.map((flow) => flow.protocol), ["icmp"]);
    await host.flushFlows(flows);
    assert.deepEqual(await host.flows([A]), []);
  }));

for (const libnftables of [true, false]) {
  const how = libnftables ? "by the library" : "by the nft tool";
  Deno.test(`foreign changes are reported, our own are not (${how})`, () =>
    inLab(async (lab, { host, process }) => {
      const events: KernelEvent[] = [];
      let notify = (): void => {};
      const until = async (wanted: (event: KernelEvent) => boolean): Promise<void> => {
        while (!events.some(wanted)) await new Promise<void>((resolve) => notify = resolve);
      };
      host.watch((event) => {
        events.push(event);
        notify();
      });
      // The monitors take a moment to stand; a link that goes up and down shows when they do.
      let stands = false;
      const toggling = (async (): Promise<void> => {
        for (let up = false; !stands; up = !up) {
          await lab.must("router", "ip", ["link", "set", "cl-b", up ? "up" : "down"]);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      })();
      await until((event) => event.kind === "link" && event.name === "cl-b");
      stands = true;
      await toggling;
      await new Promise((resolve) => setTimeout(resolve, 300));
      events.length = 0;
      await host.apply({ kind: "load", ruleset: smallRuleset([A, "cl-a"]) });
      await assert.rejects(apply(host, { op: "delete-table", family: "inet", table: "nowhere" }));
      await host.apply({ kind: "load", ruleset: smallRuleset([B, "cl-b"]) });
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.ok(!events.some((event) => event.kind === "ruleset"), process.output);
      await lab.must("router", "nft", ["add", "table", "ip", "foreign"]);
      await until((event) => event.kind === "ruleset");
    }, { libnftables }));
}

Deno.test("netd ends at SIGTERM and leaves the kernel as it is", () =>
  inLab(async (lab, netd) => {
    await netd.host.apply({ kind: "load", ruleset: smallRuleset([A, "cl-a"]) });
    netd.host.watch(() => {});
    await netd.host.facts();
    assert.equal(await netd.process.stop(), 0);
    assert.equal(await lab.ping("a", INTERNET), true);
    assert.equal(await lab.ping("b", INTERNET), false);
    netd.restart();
    assert.equal((await netd.host.facts()).tables.length, 1);
  }));
