import assert from "node:assert/strict";
import { type BedClient, eventually, give, withBed } from "../../kit/lab/bed.ts";
import { INTERNET } from "../../kit/lab/lab.ts";

/** Bytes of a ping with its IPv4 and ICMP headers (RFC 791, 792), and their number. */
const SIZE = 1000, HEADERS = 28, COUNT = 40;
/** What traffic that the test does not know of, such as of the client's own, may add. */
const TOLERANCE = 0.02;

interface Entry {
  readonly IP: string;
  readonly Packets: number;
  readonly Bytes: number;
}

Deno.test("forwarded bytes are counted for each device and direction, blocked ones are not", async (t) => {
  await withBed({ name: "traffic" }, async ({ lab, router, clients }) => {
    const [a, b, c] = clients as [BedClient, BedClient, BedClient];
    const pings = (from: string, to: string) =>
      lab.exec(from, "ping", ["-q", `-c${COUNT}`, "-i0.01", `-s${SIZE - HEADERS}`, "-W1", to]);
    const bytes = async (name: string, ip: string): Promise<number> => {
      const { status, json, text } = await router.api("GET", `/traffic/${name}`);
      assert.equal(status, 200, text);
      return (json as readonly Entry[]).find((one) => one.IP === ip)?.Bytes ?? 0;
    };
    const near = (found: number, wanted: number, what: string) =>
      assert.ok(
        found >= wanted && found <= wanted * (1 + TOLERANCE),
        `${what}: ${found} bytes, not ${wanted}`,
      );

    await t.step("to the Internet, translated, by the device's own address", async () => {
      await give(router, a.mac, { Policies: ["wan"] });
      assert.equal((await pings("a", INTERNET)).ok, true);
      near(await bytes("outgoing_traffic_wan", a.IP), COUNT * SIZE, "sent");
      near(await bytes("incoming_traffic_wan", a.IP), COUNT * SIZE, "received");
      assert.equal(await bytes("outgoing_traffic_lan", a.IP), 0);
    });

    await t.step("within the LAN, at both ends", async () => {
      await give(router, b.mac, { Policies: ["lan"] });
      assert.equal((await pings("b", a.IP)).ok, true);
      for (const ip of [a.IP, b.IP]) {
        near(await bytes("outgoing_traffic_lan", ip), COUNT * SIZE, `sent by ${ip}`);
        near(await bytes("incoming_traffic_lan", ip), COUNT * SIZE, `received by ${ip}`);
      }
      near(await bytes("outgoing_traffic_wan", a.IP), COUNT * SIZE, "still as before");
    });

    await t.step("what is blocked is not traffic", async () => {
      await give(router, c.mac, { Policies: [] });
      assert.equal((await pings("c", INTERNET)).ok, false);
      assert.equal((await pings("c", b.IP)).ok, false);
      assert.equal(await bytes("outgoing_traffic_wan", c.IP), 0);
      assert.equal(await bytes("outgoing_traffic_lan", c.IP), 0);
      assert.equal(
        await bytes("incoming_traffic_lan", b.IP),
        await bytes("outgoing_traffic_lan", a.IP),
      );
    });

    await t.step(
      "connections give the same bytes by destination, once, live and ended",
      async () => {
        const device = async () => {
          const { status, json, text } = await router.api(
            "GET",
            `/traffic_insights/device/${a.IP}?minutes=60`,
          );
          assert.equal(status, 200, text);
          return json as {
            readonly Destinations: readonly {
              readonly IP: string;
              readonly BytesIn: number;
              readonly BytesOut: number;
            }[];
          };
        };
        // The pings to the Internet above, and nothing of the LAN.
        await eventually(
          "what the connections counted is collected",
          async () => (await device()).Destinations.length > 0,
        );
        const { Destinations: [internet, ...others] } = await device();
        assert.deepEqual([internet?.IP, others], [INTERNET, []]);
        near(internet!.BytesOut, COUNT * SIZE, "sent");
        near(internet!.BytesIn, COUNT * SIZE, "received");
        const held = await lab.hold("a", INTERNET);
        const flows = await router.api("GET", `/flows?device=${a.IP}&limit=10`);
        assert.equal(flows.status, 200, flows.text);
        const live = flows.json.items.find((one: { protocol: string }) => one.protocol === "tcp");
        assert.deepEqual([live?.remote, live?.remotePort, live?.inbound], [INTERNET, 7, false]);
        await held.close();
      },
    );

    await t.step("the kernel counts on through a kill -9 of everything", async () => {
      await router.stop("SIGKILL");
      assert.equal((await pings("a", INTERNET)).ok, true, "rules stay while nothing runs");
      await router.start();
      // Rules are loaded anew at the start: what was counted before is gone with them, or is there once.
      const found = await bytes("outgoing_traffic_wan", a.IP);
      assert.ok(found <= 2 * COUNT * SIZE * (1 + TOLERANCE), `${found} bytes`);
      assert.equal((await pings("a", INTERNET)).ok, true);
      near(await bytes("outgoing_traffic_wan", a.IP) - found, COUNT * SIZE, "sent since");
      // By destination nothing is there twice; what passed while nobody followed may be missing.
      await eventually("what was sent since is collected", async () => {
        const { json } = await router.api("GET", `/traffic_insights/device/${a.IP}`);
        const sent = json.Destinations[0].BytesOut;
        assert.ok(sent <= 3 * COUNT * SIZE * (1 + TOLERANCE), `${sent} bytes`);
        return sent >= 2 * COUNT * SIZE;
      });
    });

    await t.step(
      "addresses that the kernel counts are no difference to what was applied",
      async () => {
        await lab.must("router", "nft", ["flush", "map", "inet", "filter", "internet_access"]);
        const drift = async () =>
          (await router.api("GET", "/network")).json.drift as readonly { readonly what: string }[];
        await eventually("the missing access is found", async () => (await drift()).length > 0);
        const found = await drift();
        assert.ok(found.every(({ what }) => /internet_access/.test(what)), JSON.stringify(found));
        const set = ["list", "set", "ip", "accounting", "outgoing_traffic_wan"];
        assert.match(await lab.must("router", "nft", set), /counter packets \d+ bytes \d+ expires/);
      },
    );
  });
});
