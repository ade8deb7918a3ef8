import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { sockets } from "../../../system/processes.ts";
import { buildLab, type Lab, UPLINK } from "../../kit/lab/lab.ts";
import { eventually } from "../../kit/lab/bed.ts";
import { command, must } from "../../kit/lab/command.ts";
import { labInterfaces, type LabRouter, startRouter } from "../../kit/lab/router.ts";

const SCRIPT = fileURLToPath(new URL("../../kit/programs/udhcpc.sh", import.meta.url));
const MAIN = fileURLToPath(new URL("../../../main.ts", import.meta.url));

/** An access point whose stations' links are cables here. */
const POINT = {
  ...{ Name: "wlan0", Type: "AP", Subtype: "", Enabled: true, DisableDHCP: false, IP: "" },
  ...{ Router: "", VLAN: "", MACOverride: "", MACRandomize: false, MACCloak: false },
};

const rest = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Open notices of cards in two places, each as one text. */
async function copies(router: LabRouter): Promise<readonly string[]> {
  const { items } = (await router.api("GET", "/notices")).json;
  return items.filter((one: { kind: string }) => one.kind === "mac-on-two-interfaces")
    .map((one: unknown) => JSON.stringify(one));
}

/** Listens to what goes over a client's cable; the text is tcpdump's own. */
async function listen(lab: Lab, part: string) {
  const args = ["-lnni", "eth0", "-vvv", "-e", "udp port 67 or udp port 68"];
  const process = lab.spawn(part, "tcpdump", args);
  await process.line(/listening on eth0/);
  return process;
}

/** Reports a station on an interface, as an access point does. */
async function reportStation(
  lab: Lab,
  router: LabRouter,
  { link, mac }: { readonly link: string; readonly mac: string },
): Promise<void> {
  const body = JSON.stringify({ Iface: link, Event: "AP-STA-CONNECTED", MAC: mac });
  const report = ["-sS", "-X", "PUT", "-d", body, "http://sluice/reportPSKAuthSuccess"];
  await lab.must("router", "curl", ["--unix-socket", sockets(router.home).wifi, ...report]);
}

/** Puts a new cable, under a name at the router, in place of a client's old one. */
async function cable(lab: Lab, part: string, link: string): Promise<void> {
  const client = lab.clients.find(({ name }) => name === part)!;
  await command("ip", ["-n", lab.space(part), "link", "delete", "eth0"]);
  const ends = ["link", "add", link, "type", "veth", "peer", "eth0"];
  await must("ip", ["-n", lab.space("router"), ...ends, "netns", lab.space(part)]);
  await lab.must(part, "ip", ["link", "set", "eth0", "address", client.mac, "up"]);
  await lab.must("router", "ip", ["link", "set", link, "up"]);
}

Deno.test("DHCP is served on interfaces that appear, disappear and return", async (t) => {
  const lab = await buildLab({ name: "dhcplinks", clients: 6 });
  try {
    const capture = await listen(lab, "a");
    await lab.must("b", "ip", ["link", "set", "eth0", "mtu", "1400"]);
    await lab.must("router", "ip", ["link", "set", "cl-b", "mtu", "1400"]);
    const files = {
      "base/interfaces.json": [...labInterfaces(lab), POINT, { ...POINT, Name: "wlan1" }],
      "base/dhcp.json": {
        TinyNets: ["192.168.2.0/24"],
        LeaseTime: "24h0m0s",
        NTPServers: ["192.168.2.1", "192.0.2.123"],
      },
    };
    const router = await startRouter(lab, { services: "dhcpd", files });
    try {
      const mac = (part: string) => lab.clients.find(({ name }) => name === part)!.mac;

      await t.step(
        "no packet leaves an unnumbered interface with the uplink's address",
        async () => {
          assert.ok((await lab.dhcp("a", ["-B"])).ok);
          await rest(300);
          const senders = [...capture.output.matchAll(/(\S+)\.(67|68) > \S+\.(?:67|68):/g)]
            .map(([, source, port]) => `${source} ${port}`);
          assert.deepEqual(new Set(senders), new Set(["0.0.0.0 68", "192.168.2.1 67"]));
          assert.doesNotMatch(capture.output, new RegExp(UPLINK.replaceAll(".", "\\.")));
          assert.match(capture.output, /192\.168\.2\.1\.67 > 255\.255\.255\.255\.68/);
          assert.doesNotMatch(capture.output, /bad (udp )?cksum/);
        },
      );

      await t.step("MTU and NTP servers are sent on request", async () => {
        const capture = await listen(lab, "b");
        assert.ok((await lab.dhcp("b", ["-O", "mtu", "-O", "ntpsrv"])).ok);
        await eventually("it is reported", () =>
          Promise.resolve(
            /MTU.*: 1400/.test(capture.output) &&
              /NTP.*: 192\.168\.2\.1,192\.0\.2\.123/.test(capture.output),
          ));
        await capture.stop();
      });

      await t.step("an interface that returns is served again", async () => {
        assert.ok((await lab.dhcp("c")).ok);
        const own = await lab.address("c");
        await cable(lab, "c", "cl-c");
        assert.ok((await lab.dhcp("c")).ok, router.process.output);
        assert.equal(await lab.address("c"), own);
        await eventually("its path is there again", () => lab.ping("c", "192.168.2.1"));
      });

      await t.step("a station's interface is served from its report on", async () => {
        await cable(lab, "d", "wlan0.4096");
        await reportStation(lab, router, { link: "wlan0.4096", mac: mac("d") });
        const capture = await listen(lab, "d");
        assert.ok((await lab.dhcp("d")).ok, router.process.output);
        await eventually(
          "all is seen",
          () => Promise.resolve(/BOOTP\/DHCP, Reply/.test(capture.output)),
        );
        const asking = [...capture.output.matchAll(/BOOTP\/DHCP, Request from ([0-9a-f:]+)/g)];
        const cards = new Set(asking.map(([, card]) => card));
        assert.deepEqual([...cards], [mac("d")], "no search for other servers keeps it waiting");
        await capture.stop();
        const [host] = (await lab.address("d"))!.split("/");
        const neighbours = await lab.must("router", "ip", ["neigh", "show", "nud", "permanent"]);
        assert.match(neighbours, new RegExp(`^${host} dev wlan0\\.4096 `, "m"));
      });

      await t.step(
        "a station that keeps its ARP entry reaches its gateway on another radio",
        async () => {
          const d = (...args: readonly string[]) => lab.must("d", "ip", args);
          const [address] = (await lab.address("d"))!.split("/");
          // The station is a bridge whose port changes, so that it sees no loss of its carrier.
          await d("address", "flush", "dev", "eth0");
          await d("link", "set", "eth0", "down", "name", "radio0");
          await d("link", "add", "eth0", "address", mac("d"), "type", "bridge");
          await d("link", "add", "kept", "type", "veth", "peer", "partner");
          for (const port of ["radio0", "kept"]) {
            await d("link", "set", port, "master", "eth0", "up");
          }
          for (const link of ["partner", "eth0"]) {
            await d("link", "set", link, "up");
          }
          assert.ok((await lab.dhcp("d")).ok, router.process.output);
          // Its entry lasts an hour.
          const hour = "net.ipv4.neigh.eth0.base_reachable_time_ms=3600000";
          await lab.must("d", "sysctl", ["-q", "-w", hour]);
          await eventually("its gateway is reached", () => lab.ping("d", "192.168.2.1"));
          await d("link", "add", "radio1", "type", "veth", "peer", "wlan1.4097");
          await d("link", "set", "wlan1.4097", "netns", lab.space("router"));
          await lab.must("router", "ip", ["link", "set", "wlan1.4097", "up"]);
          await d("link", "set", "radio1", "up");
          const capture = lab.spawn("d", "tcpdump", ["-lnni", "eth0", "-e", "arp"]);
          await capture.line(/listening on eth0/);
          await d("link", "set", "radio0", "nomaster");
          await d("link", "set", "radio1", "master", "eth0");
          await reportStation(lab, router, { link: "wlan1.4097", mac: mac("d") });
          await eventually("its gateway is reached again", () => lab.ping("d", "192.168.2.1"));
          const shown = await lab.must("router", "ip", ["link", "show", "wlan1.4097"]);
          const card = /link\/ether (\S+)/.exec(shown)?.[1];
          const gateway = /^default via (\S+)/.exec(await d("route"))?.[1];
          assert.match(await d("neigh", "show", gateway!), new RegExp(`lladdr ${card} `));
          await capture.line(
            new RegExp(`${card} > ${mac("d")}, .* Reply ${gateway} is-at ${card}, length 28`),
          );
          assert.doesNotMatch(capture.output, new RegExp(`who-has ${gateway} tell ${address}`));
          await capture.stop();
        },
      );

      await t.step("a device that is plugged in elsewhere opens no notice", async () => {
        await lab.must("a", "ip", ["link", "set", "eth0", "down"]);
        await lab.must("c", "ip", ["link", "set", "eth0", "address", mac("a")]);
        assert.ok((await lab.dhcp("c")).ok);
        await rest(1500);
        assert.deepEqual(await copies(router), []);
        await lab.must("c", "ip", ["link", "set", "eth0", "address", mac("c")]);
      });

      await t.step("a cloned MAC address is refused while its owner answers", async () => {
        await lab.must("e", "ip", ["link", "set", "eth0", "address", mac("b")]);
        assert.equal((await lab.dhcp("e", ["-t", "2"])).ok, false);
        await eventually("it is reported", async () => (await copies(router)).length > 0);
        const [notice, ...others] = await copies(router);
        assert.deepEqual(others, []);
        assert.match(notice ?? "", /client on cl-e.*still answers on cl-b/);
        await lab.must("e", "ip", ["link", "set", "eth0", "address", mac("e")]);
      });

      await t.step(
        "a client that declines an address in use gets another",
        async () => {
          const f = (...args: readonly string[]) => lab.must("f", "ip", args);
          await f("link", "add", "br0", "address", mac("f"), "type", "bridge");
          await f("link", "set", "eth0", "master", "br0");
          await f("link", "add", "p0", "type", "veth", "peer", "p1", "netns", lab.space("a"));
          await f("link", "set", "p0", "master", "br0", "up");
          await f("link", "set", "br0", "up");
          await lab.must("a", "ip", ["link", "set", "p1", "up"]);
          const once = ["-i", "br0", "-n", "-q", "-f", "-t", "10", "-T", "1", "-s", SCRIPT];
          const address = async (): Promise<string> =>
            /inet (\S+)/.exec(await lab.must("f", "ip", ["-4", "addr", "show", "br0"]))?.[1] ?? "";
          assert.ok((await lab.exec("f", "udhcpc", once)).ok);
          const taken = await address();
          await f("address", "flush", "dev", "br0");
          await lab.must("a", "ip", ["address", "add", taken, "dev", "p1"]);
          const run = await lab.exec("f", "udhcpc", [...once, "-a", "-A", "1"]);
          assert.ok(run.ok, run.stderr);
          assert.match(run.stderr, /declin/i);
          assert.match(await address(), /^192\.168\.2\.\d+\/30$/);
          assert.notEqual(await address(), taken);
        },
      );

      await t.step("dhcpd started while the api is down renews known devices", async () => {
        const own = await lab.address("b");
        const file = `${router.home}/state/dhcp/snapshot.json`;
        await eventually(
          "it knows of the last client",
          async () => (await Deno.readTextFile(file)).includes(mac("f")),
        );
        await router.stop();
        const alone = lab.spawn("router", Deno.execPath(), ["run", "-q", "-A", MAIN, "dhcpd"], {
          SLUICE_HOME: router.home,
          SLUICE_NETWORK: "on",
        });
        await alone.line(/Started DHCP on cl-b"/);
        await alone.line(/Started DHCP on wlan1\.4097"/);
        assert.ok((await lab.dhcp("b")).ok, alone.output);
        assert.equal(await lab.address("b"), own);
        assert.ok((await lab.dhcp("d")).ok, "the station as well");
        await lab.must("c", "ip", ["link", "set", "eth0", "address", "02:00:00:00:99:99"]);
        const unknown = await lab.dhcp("c", ["-t", "2"]);
        assert.equal(unknown.ok, false, "an unknown device waits");
        await router.start();
        assert.equal((await router.api("GET", "/devices")).json["02:00:00:00:99:99"], undefined);
        await alone.stop();
      });
    } finally {
      await router.close();
    }
  } finally {
    await lab.close();
  }
});
