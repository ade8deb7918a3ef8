import assert from "node:assert/strict";
import { INTERNET, UPLINK } from "../../kit/lab/lab.ts";
import { withoutTraffic } from "../../kit/builders/ordered_listing.ts";
import { give, withBed } from "../../kit/lab/bed.ts";
import { must } from "../../kit/lab/command.ts";
import { RawSockets } from "../../kit/sockets/raw_socket.ts";
import { routerAdvertisement } from "../../kit/lab/router_advertisement.ts";

/** The resolver's own address, another's that nobody has, and a network behind the uplink. */
const RESOLVER = "192.168.2.1", ELSEWHERE = "9.9.9.9", BEHIND = "10.99.0.1";
const SHARED = "100.64.0.9";

Deno.test("policies decide on DNS, private networks and running connections", async (t) => {
  await withBed({ name: "examples" }, async ({ lab, router, clients }) => {
    const [a, b, c] = clients as [typeof clients[0], typeof clients[0], typeof clients[0]];
    const rule = async (method: "PUT" | "DELETE", path: string, body: unknown): Promise<void> => {
      const answer = await router.api(method, path, { body });
      assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
    };
    const open = async (part: string, address: string, port = 80): Promise<boolean> =>
      await lab.tcp(part, address, port) === "open";
    const wan = lab.space("wan");
    for (const address of [BEHIND, SHARED]) {
      await must("ip", ["-n", wan, "address", "add", `${address}/32`, "dev", "lo"]);
    }
    await lab.deno("router", "dns/fixed_resolver.ts", [RESOLVER]).line(/^ready$/);
    await lab.deno("b", "greeter.ts", ["b", "7"]).line(/^ready$/);

    await t.step("without dns no query is answered, on any address or transport", async () => {
      for (const server of [RESOLVER, ELSEWHERE, INTERNET]) {
        for (const transport of ["udp", "tcp"] as const) {
          assert.equal(await lab.dns("a", server, { transport, seconds: 0.7 }), null, server);
        }
      }
    });

    await t.step("with dns the router answers every query, whatever its destination", async () => {
      await give(router, a.mac, { Policies: ["dns"] });
      for (const server of [RESOLVER, a.RouterIP, ELSEWHERE, INTERNET]) {
        for (const transport of ["udp", "tcp"] as const) {
          const text = `${server} over ${transport}`;
          assert.equal(await lab.dns("a", server, { transport }), RESOLVER, text);
        }
      }
      assert.equal(await open("a", INTERNET), false, "dns is no way out");
      await give(router, a.mac, { Policies: ["dns", "quarantine"] });
      assert.equal(await lab.dns("a", ELSEWHERE), RESOLVER, "also in quarantine");
      await give(router, a.mac, { Policies: ["dns", "noapi"] });
      assert.equal(await lab.dns("a", ELSEWHERE), RESOLVER, "also with noapi");
      await give(router, a.mac, { Policies: [] });
      assert.equal(await lab.dns("a", ELSEWHERE, { seconds: 0.7 }), null);
    });

    await t.step("upstream private networks need lan_upstream", async () => {
      await give(router, a.mac, { Policies: ["wan"] });
      assert.deepEqual([await open("a", BEHIND), await open("a", SHARED)], [false, false]);
      await give(router, a.mac, { Policies: ["lan_upstream"] });
      assert.equal(await open("a", BEHIND), false, "it adds to wan");
      await give(router, a.mac, { Policies: ["wan", "lan_upstream"] });
      assert.deepEqual([await open("a", BEHIND), await open("a", SHARED)], [true, true]);
      const held = await lab.hold("a", BEHIND);
      await give(router, a.mac, { Policies: ["wan"] });
      assert.equal(await held.breaks(), true);
    });

    await t.step("a device's port is reachable only as policies allow", async () => {
      await give(router, a.mac, { Policies: ["lan"] });
      const held = await lab.hold("a", b.IP);
      await give(router, a.mac, { Policies: [] });
      assert.equal(await held.breaks(), true, "lan taken from the sender");
      for (const client of [a, b]) await give(router, client.mac, { Groups: ["kids"] });
      const more = await lab.hold("a", b.IP);
      await give(router, b.mac, { Groups: [] });
      assert.equal(await more.breaks(), true, "the group taken from the receiver");
      await give(router, a.mac, { Policies: ["lan"], Groups: [] });
      const last = await lab.hold("a", b.IP);
      await give(router, b.mac, { DeviceDisabled: true });
      assert.equal(await last.breaks(), true, "the receiver disabled");
      await give(router, b.mac, { DeviceDisabled: false });
    });

    await t.step("a forwarded connection ends with the rule that allowed it", async () => {
      const forward = { Protocol: "tcp", SrcPort: "7", DstIP: b.IP, DstPort: "7" };
      const port7 = { Protocol: "tcp", SrcIP: "0.0.0.0/0", DstIP: b.IP, DstPort: "7" };
      const path = "/firewall/forward";
      const ends: readonly [string, () => Promise<unknown>, () => Promise<unknown>][] = [
        [
          "the forward disabled",
          () => rule("PUT", path, { ...forward, Disabled: true }),
          () => rule("PUT", path, { ...forward, Disabled: false }),
        ],
        [
          "its device quarantined",
          () => give(router, b.mac, { Policies: ["quarantine"] }),
          () => give(router, b.mac, { Policies: [] }),
        ],
        [
          "its device disabled",
          () => give(router, b.mac, { DeviceDisabled: true }),
          () => give(router, b.mac, { DeviceDisabled: false }),
        ],
        [
          "a block on its way",
          () => rule("PUT", "/firewall/block_forward", port7),
          () => rule("DELETE", "/firewall/block_forward", port7),
        ],
        [
          "a block of who calls",
          () => rule("PUT", "/firewall/block", { ...port7, DstIP: UPLINK, DstPort: undefined }),
          () => rule("DELETE", "/firewall/block", { ...port7, DstIP: UPLINK, DstPort: undefined }),
        ],
      ];
      await rule("PUT", path, forward);
      for (const [what, end, back] of ends) {
        const held = await lab.hold("wan", UPLINK);
        await end();
        assert.equal(await held.breaks(), true, what);
        assert.equal(await open("wan", UPLINK, 7), false, what);
        await back();
      }
      await rule("DELETE", path, forward);
    });

    await t.step(
      "the router's own connections end when a port is closed or a block added",
      async () => {
        await lab.deno("router", "greeter.ts", ["router", "7"]).line(/^ready$/);
        const port = { Protocol: "tcp", Port: "7" };
        await rule("PUT", "/firewall/service_port", { ...port, UpstreamEnabled: true });
        await give(router, c.mac, { Policies: [] });
        const fromWan = await lab.hold("wan", UPLINK);
        await rule("PUT", "/firewall/service_port", { ...port, UpstreamEnabled: false });
        assert.equal(await fromWan.breaks(), true, "closed to uplinks");
        const inside = await lab.hold("c", c.RouterIP);
        await rule("DELETE", "/firewall/service_port", port);
        assert.equal(await inside.breaks(), true, "closed to the LAN");
        const output = { Protocol: "tcp", SrcIP: "0.0.0.0/0", DstIP: INTERNET };
        const own = await lab.hold("router", INTERNET);
        await rule("PUT", "/firewall/block_output", output);
        assert.equal(await own.breaks(), true, "blocked");
        await rule("DELETE", "/firewall/block_output", output);
      },
    );

    await t.step("a deleted device leaves no connection, address or element behind", async () => {
      await give(router, a.mac, { Policies: ["wan", "lan"] });
      const held = [await lab.hold("a", INTERNET), await lab.hold("a", b.IP)];
      const gone = await router.api("DELETE", `/device?identity=${a.mac}`);
      assert.equal(gone.status, 200, gone.text);
      assert.deepEqual(await Promise.all(held.map((one) => one.breaks())), [true, true]);
      for (const side of ["-s", "-d"]) {
        assert.equal((await lab.exec("router", "conntrack", ["-L", side, a.IP])).stdout, "");
      }
      const left = await Promise.all([
        lab.must("router", "nft", ["list", "ruleset"]).then(withoutTraffic),
        lab.must("router", "ip", ["neighbour"]),
        lab.must("router", "ip", ["address", "show", "dev", a.link]),
      ]);
      assert.doesNotMatch(left.join("\n"), new RegExp(`${a.IP}\\b|${a.mac}|${a.RouterIP}/30`));
    });
  });
});

Deno.test("IPv6 is off: nothing is forwarded or served, and only uplinks accept router advertisements", async () => {
  await withBed({ name: "six", lab: { clients: 2 } }, async ({ lab, router, clients }) => {
    const [a, b] = clients as [typeof clients[0], typeof clients[0]];
    for (const { mac } of [a, b]) {
      await give(router, mac, { Policies: ["wan", "lan"], Groups: ["six"] });
    }
    const address = (part: string, text: string, link: string): Promise<string> =>
      lab.must(part, "ip", ["address", "add", `${text}/64`, "dev", link, "nodad"]);
    for (const [net, client] of [["a", a], ["b", b]] as const) {
      await address(client.name, `fd00:${net}::2`, "eth0");
      await address("router", `fd00:${net}::1`, client.link);
      await lab.must(client.name, "ip", [
        ...["-6", "route", "add", "default", "via", `fd00:${net}::1`],
      ]);
    }
    // Somebody else's doing: Sluice itself never turns it on.
    await lab.must("router", "sysctl", ["-q", "-w", "net.ipv6.conf.all.forwarding=1"]);
    const ping = async (target: string): Promise<boolean> =>
      (await lab.exec("a", "ping", ["-6", "-c2", "-W1", target])).ok;
    assert.equal(await ping("fd00:b::2"), false, "forwarded");
    assert.equal(await ping("fd00:a::1"), false, "the router");
    const near = await lab.must("a", "ip", ["-6", "neighbour", "show", "fd00:a::1"]);
    assert.match(near, /lladdr/, "its neighbour is found all the same");
    const web = "TCP6:[fd00:a::1]:80,connect-timeout=1";
    const served = await lab.exec("a", "socat", ["-u", "OPEN:/dev/null", web]);
    assert.match(served.stderr, /timed out/i);
    await lab.must("router", "sysctl", ["-q", "-w", "net.ipv6.conf.all.forwarding=0"]);
    for (const [part, link, net] of [["a", "eth0", "bad"], ["wan", "wan0", "600d"]] as const) {
      const shown = JSON.parse(await lab.must(part, "ip", ["-j", "link", "show", "dev", link]));
      using sockets = new RawSockets();
      const send = sockets.frames(lab.space(part), shown[0].ifindex);
      assert.ok(send(routerAdvertisement(shown[0].address, `2001:db8:${net}::`)), part);
    }
    let addresses = "";
    for (let left = 50; left > 0 && !addresses.includes("2001:db8:600d"); left--) {
      addresses = await lab.must("router", "ip", ["-6", "address"]);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.match(addresses, /2001:db8:600d/, "an uplink's advertisement is received");
    assert.doesNotMatch(addresses, /2001:db8:bad/, "a client's is not");
  });
});
