import assert from "node:assert/strict";
import { UPLINK } from "../../kit/lab/lab.ts";
import { eventually } from "../../kit/lab/bed.ts";
import type { LabRouter } from "../../kit/lab/router.ts";
import { MACHINES, type UplinkLab, withUplinks } from "../../kit/lab/uplinks.ts";

interface Status {
  readonly Iface: string;
  readonly Up: boolean;
  readonly Active: boolean;
  readonly IP: string;
  readonly LatencyMs: number;
  readonly Reason: string;
}

async function statusOf(router: LabRouter, name: string): Promise<Status | undefined> {
  const answer = await router.api("GET", "/wan/status");
  return (answer.json as Status[] | undefined)?.find(({ Iface }) => Iface === name);
}

/** Waits until both uplinks lead somewhere; answers the leased address of the second. */
async function bothUp({ router }: UplinkLab): Promise<string> {
  await eventually("both uplinks are up", async () => {
    const [first, second] = await Promise.all([statusOf(router, "wan0"), statusOf(router, "wan1")]);
    return first?.Active === true && second?.Active === true && first.Up && second.Up;
  });
  return (await statusOf(router, "wan1"))!.IP.split("/")[0]!;
}

/** The router's addresses that the Internet's machines see, or nobody's within so many seconds. */
async function seenBy(bed: UplinkLab, seconds = 1): Promise<ReadonlyMap<string, string>> {
  const seen = await Promise.all(
    MACHINES.map(async (machine) =>
      [machine, await bed.seen(machine, seconds) ?? "nobody"] as const
    ),
  );
  return new Map(seen);
}

/** How many of 254 new connections to as many machines each uplink was given, by its mark. */
async function given({ lab, client }: UplinkLab): Promise<Readonly<Record<string, number>>> {
  await lab.exec("router", "conntrack", ["-D", "-p", "udp", "--orig-port-dst", "9"]);
  const send = "for i in {1..254}; do echo > /dev/udp/198.51.100.$i/9; done";
  await lab.must(client.name, "bash", ["-c", send]);
  const args = ["-L", "-p", "udp", "--orig-port-dst", "9"];
  const lines = (await lab.exec("router", "conntrack", args)).stdout.matchAll(/ mark=(\d+) /g);
  const counts: Record<string, number> = {};
  for (const [, mark] of lines) counts[mark!] = (counts[mark!] ?? 0) + 1;
  return counts;
}

Deno.test("two uplinks carry what they are given, as long as they lead somewhere", async (t) => {
  const wan = { SpeedTestURL: "http://198.51.100.7/", ProbeTargets: ["198.51.100.7"] };
  await withUplinks({ name: "two", wan }, async (bed) => {
    const { lab, router, client } = bed;

    await t.step("a speed test runs through its uplink, and is recorded", async () => {
      await bothUp(bed);
      for (const name of ["wan0", "wan1"]) {
        const { status, json } = await router.api("PUT", `/wan/speedtest/${name}`);
        assert.equal(status, 200, JSON.stringify(json));
        assert.equal(json.Error, undefined);
        // The page says whom it saw, so that its length tells the uplink's address.
        const { IP } = (await statusOf(router, name))!;
        assert.equal(json.Bytes, `internet ${IP.split("/")[0]}\n`.length);
      }
      const kept = (await router.api("GET", "/wan/speedtest")).json;
      assert.deepEqual(kept.map(({ Iface }: Status) => Iface), ["wan1", "wan0"]);
    });

    await t.step(
      "replies of forwarded connections and of the router leave by the uplink they came in by",
      async () => {
        const leased = await bothUp(bed);
        const body = {
          ...{
            SrcIP: "0.0.0.0/0",
            SrcPort: "8080",
            DstIP: client.IP,
            DstPort: "80",
            Protocol: "tcp",
          },
        };
        assert.equal((await router.api("PUT", "/firewall/forward", { body })).status, 200);
        const greeter = lab.deno(client.name, "greeter.ts", ["a", "80"]);
        await greeter.line(/^ready$/);
        for (const address of [UPLINK, leased]) {
          assert.equal(await lab.tcp("wan", address, 8080, 2), "open", address);
        }
        const port = { Protocol: "tcp", Port: "80", UpstreamEnabled: true };
        const opened = await router.api("PUT", "/firewall/service_port", { body: port });
        assert.equal(opened.status, 200);
        // From an address of the Internet: only the chosen way out is allowed to answer it there.
        for (const address of [UPLINK, leased]) {
          const args = ["-sS", "-m", "20", "--interface", "198.51.100.7", `http://${address}/`];
          assert.ok((await lab.exec("wan", "curl", args)).ok, address);
        }
      },
    );

    await t.step(
      "two uplinks share new connections; one without a carrier hands them over and takes them back",
      async () => {
        const leased = await bothUp(bed);
        assert.match(leased, /^100\.64\.5\./);
        const mtu = await lab.must("router", "ip", ["-o", "link", "show", "dev", "wan1"]);
        assert.match(mtu, /mtu 1400/);
        const before = await seenBy(bed, 20);
        assert.deepEqual([...new Set(before.values())].sort(), [leased, UPLINK].sort());
        const by = (address: string) => [...before].find(([, seen]) => seen === address)![0];
        const staying = await lab.hold(client.name, by(UPLINK));
        const leaving = await lab.hold(client.name, by(leased));
        await bed.plug("wan1", false);
        await eventually("new connections leave by the other uplink", async () => {
          return await bed.seen(by(leased)) === UPLINK;
        });
        assert.deepEqual([...new Set((await seenBy(bed, 20)).values())], [UPLINK]);
        await leaving.broke;
        assert.equal(staying.alive, true, "what was on the living uplink stays");
        await eventually("the outage is recorded", async () => {
          const [outage] = (await router.api("GET", "/wan/outages")).json;
          return outage?.Iface === "wan1" && outage.End === 0;
        });
        assert.equal((await statusOf(router, "wan1"))?.Reason, "no cable is connected");
        await bed.plug("wan1", true);
        await bothUp(bed);
        await eventually("the second uplink is used again", async () => {
          return [...(await seenBy(bed)).values()].some((seen) => seen.startsWith("100.64.5."));
        });
        await eventually("the outage has an end", async () => {
          const [outage] = (await router.api("GET", "/wan/outages")).json;
          return outage.End >= outage.Start + 1;
        });
        assert.equal(staying.alive, true);
        await staying.close();
        await leaving.close();
      },
    );

    await t.step(
      "an uplink with a link but no Internet is found by health checks, and used again when it replies",
      async () => {
        const leased = await bothUp(bed);
        const hook = "type filter hook input priority 0; policy accept;";
        const deaf = `table inet deaf {\nchain in {\n${hook}\niifname "wan1" drop\n}\n}\n`;
        await lab.must("wan", "nft", ["-f", "-"], deaf);
        await eventually("the second uplink counts as dead", async () => {
          return (await statusOf(router, "wan1"))?.Reason === "health checks get no reply";
        });
        await eventually("all connections leave by the first", async () => {
          return [...(await seenBy(bed)).values()].every((seen) => seen === UPLINK);
        });
        await lab.must("wan", "nft", ["delete", "table", "inet", "deaf"]);
        await bothUp(bed);
        await eventually("the second is used again", async () => {
          return [...(await seenBy(bed)).values()].includes(leased);
        });
      },
    );

    await t.step(
      "new connections follow the weights, and open ones stay on their uplink",
      async () => {
        await bothUp(bed);
        const decide = async (Balance: string, first: number, second: number): Promise<void> => {
          const Uplinks = [{ Iface: "wan0", Weight: first }, { Iface: "wan1", Weight: second }];
          const answer = await router.api("PUT", "/wan/config", { body: { Balance, Uplinks } });
          assert.equal(answer.status, 200, answer.text);
        };
        const seen = await seenBy(bed, 20);
        const by = (address: string) => [...seen].find(([, one]) => one === address)![0];
        const staying = await lab.hold(client.name, by(UPLINK));
        for (const balance of ["pair", "connection"]) {
          await decide(balance, 1, 3);
          const { "200": few = 0, "201": many = 0 } = await given(bed);
          assert.equal(few + many, 254, balance);
          // Of 254 with a chance of 1 in 4: 63.5, and five times the deviation of 6.9 on either side.
          assert.ok(few > 29 && few < 98, `${balance}: ${few} of 254 by the uplink with a quarter`);
        }
        await decide("pair", 0, 1);
        assert.deepEqual(await given(bed), { "201": 254 }, "a spare gets none");
        assert.equal(staying.alive, true, "what was open stays, though its uplink is a spare now");
        const main = await lab.must("router", "ip", ["route", "show", "default"]);
        assert.match(main, /^default via 100\.64\.5\.1 dev wan1/);
        await bed.plug("wan1", false);
        await eventually("the spare stands in", async () => {
          return [...(await seenBy(bed)).values()].every((one) => one === UPLINK);
        });
        assert.equal(staying.alive, true);
        const { drift } = (await router.api("GET", "/network")).json;
        assert.deepEqual(drift, []);
        await staying.close();
      },
    );
  });
});
