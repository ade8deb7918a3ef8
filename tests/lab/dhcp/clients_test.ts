import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { buildLab, type Lab } from "../../kit/lab/lab.ts";
import { eventually, withBed } from "../../kit/lab/bed.ts";
import { startRouter } from "../../kit/lab/router.ts";
import { command } from "../../kit/lab/command.ts";

const SCRIPT = fileURLToPath(new URL("../../kit/programs/dhclient.sh", import.meta.url));
const UDHCPC = fileURLToPath(new URL("../../kit/programs/udhcpc.sh", import.meta.url));
const NETWORKD = "/lib/systemd/systemd-networkd";

/** Runs ISC dhclient in a client; its lease lies in a folder of the test. */
async function dhclient(lab: Lab, folder: string, ...args: readonly string[]) {
  const files = ["-lf", `${folder}/leases`, "-pf", `${folder}/pid`, "-sf", SCRIPT];
  return await lab.exec("b", "dhclient", ["-4", "-v", ...files, ...args, "eth0"]);
}

Deno.test("stock DHCP clients obtain, renew, move and release their addresses", async (t) => {
  const bed = { name: "clients", lab: { clients: 4 }, leases: 0, router: { services: "dhcpd" } };
  const folder = await Deno.makeTempDir({ prefix: "sluice-dhclient-" });
  try {
    await withBed(bed, async ({ lab, router }) => {
      const online = async (mac: string): Promise<boolean> =>
        (await router.api("GET", "/devices")).json[mac]?.Online;
      const mac = (part: string) => lab.clients.find(({ name }) => name === part)!.mac;

      await t.step("udhcpc gets an address, and the same one again", async () => {
        assert.ok((await lab.dhcp("a")).ok);
        const own = await lab.address("a");
        assert.ok((await lab.dhcp("a")).ok);
        assert.equal(await lab.address("a"), own);
      });

      await t.step("udhcpc renews, rebinds and releases", async () => {
        const stay = ["-i", "eth0", "-f", "-R", "-t", "5", "-T", "1", "-s", UDHCPC];
        const client = lab.spawn("a", "udhcpc", stay);
        const bound = (): number => client.output.match(/lease of \S+ obtained/g)?.length ?? 0;
        await eventually("it has a lease", () => Promise.resolve(bound() === 1));
        const wire = lab.spawn("a", "tcpdump", ["-lnni", "eth0", "udp", "dst", "port", "67"]);
        await wire.line(/listening on eth0/);
        Deno.kill(client.pid, "SIGUSR1");
        await eventually("it renewed", () => Promise.resolve(bound() === 2));
        assert.equal(await online(mac("a")), true);
        await eventually(
          "it queried the router itself",
          () => Promise.resolve(/192\.168\.2\.\d+\.68 > 192\.168\.2\.1\.67/.test(wire.output)),
        );
        await wire.stop();
        await client.stop();
        await eventually("it is offline", async () => !await online(mac("a")));
        assert.ok((await lab.dhcp("a")).ok);
        const [own] = (await lab.address("a"))!.split("/");
        const rebind = lab.deno("a", "dhcp_rebind.ts", ["eth0", mac("a"), own!]);
        assert.equal(await rebind.line(/./), `ack ${own}`);
      });

      await t.step(
        "ISC dhclient gets an address with a DUID, renews and releases it",
        async () => {
          const configuration = `${folder}/dhclient.conf`;
          await Deno.writeTextFile(
            configuration,
            "send dhcp-client-identifier = ff:00:00:00:01:00:02:00:00:ab:11;\n" +
              'send host-name "laptop";\nrequest subnet-mask, routers, host-name;\n',
          );
          const first = await dhclient(lab, folder, "-1", "-cf", configuration);
          assert.ok(first.ok, first.stderr);
          const own = await lab.address("b");
          assert.match(own ?? "", /\/30$/);
          assert.match(await Deno.readTextFile(`${folder}/leases`), /option host-name "laptop"/);
          await command("kill", [(await Deno.readTextFile(`${folder}/pid`)).trim()]);
          const again = await dhclient(lab, folder, "-1", "-cf", configuration);
          assert.ok(again.ok, again.stderr);
          assert.match(again.stderr, /DHCPREQUEST/);
          assert.doesNotMatch(again.stderr, /DHCPDISCOVER/, "it asks for what it has");
          assert.equal(await lab.address("b"), own);
          assert.ok((await dhclient(lab, folder, "-r")).ok);
          await eventually("it is offline", async () => !await online(mac("b")));
        },
      );

      await t.step("a client that moves keeps its address, and its route follows", async () => {
        assert.ok((await lab.dhcp("c")).ok);
        const own = await lab.address("c");
        await lab.must("c", "ip", ["link", "set", "eth0", "down"]);
        await lab.must("d", "ip", ["link", "set", "eth0", "address", mac("c")]);
        assert.ok((await lab.dhcp("d")).ok);
        assert.equal(await lab.address("d"), own);
        const neighbours = await lab.must("router", "ip", ["neigh", "show", "nud", "permanent"]);
        const [host] = own!.split("/");
        assert.match(neighbours, new RegExp(`^${host} dev cl-d `, "m"));
        assert.doesNotMatch(neighbours, new RegExp(`^${host} dev cl-c `, "m"));
        await lab.must("d", "ip", ["link", "set", "eth0", "address", mac("d")]);
        await lab.must("c", "ip", ["link", "set", "eth0", "up"]);
      });

      await t.step("systemd-networkd gets an address", async () => {
        const config = `${folder}/network`;
        await Deno.mkdir(config);
        await Deno.writeTextFile(
          `${config}/eth0.network`,
          "[Match]\nName=eth0\n[Network]\nDHCP=ipv4\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n",
        );
        await lab.must("d", "ip", ["address", "flush", "dev", "eth0"]);
        // Without udev it waits for it, unless /sys cannot be written, as in a container.
        const script = [
          "mount -t tmpfs sluice-test /run/systemd",
          "mkdir -p /run/systemd/network /run/systemd/netif/links /run/systemd/netif/leases",
          `cp ${config}/eth0.network /run/systemd/network/`,
          "chmod -R a+rX /run/systemd/network",
          "chown -R systemd-network /run/systemd/netif",
          "mount -o remount,bind,ro /sys",
          `exec ${NETWORKD}`,
        ].join(" && ");
        const child = new Deno.Command("ip", {
          args: ["netns", "exec", lab.space("d"), "unshare", "--mount", "sh", "-c", script],
          stdout: "null",
          stderr: "piped",
        }).spawn();
        const stderr = new Response(child.stderr).text();
        try {
          await eventually("networkd has a lease", async () => await lab.address("d") !== null);
          assert.match(await lab.address("d") ?? "", /^192\.168\.2\.\d+\/30$/);
        } finally {
          child.kill("SIGKILL");
          await child.status;
          await stderr;
        }
      });

      await t.step("after a renumbering clients get a NAK and the new address", async () => {
        const before = await lab.address("a");
        const body = { TinyNets: ["10.20.0.0/24"], LeaseTime: "24h0m0s" };
        const answer = await router.api("PUT", "/subnetConfig", { body });
        assert.equal(answer.status, 200, answer.text);
        const [own] = before!.split("/");
        assert.equal(await lab.ping("a", "192.168.2.1"), true, "the old router is still there");
        const moved = await lab.dhcp("a", ["-r", own!]);
        assert.ok(moved.ok, moved.stderr + moved.stdout);
        assert.match(await lab.address("a") ?? "", /^10\.20\.0\.\d+\/30$/);
        assert.equal(await lab.ping("a", "10.20.0.1"), true);
      });

      await t.step(
        "while the api is down a known device renews from dhcpd's snapshot",
        async () => {
          const own = await lab.address("a");
          const api = await pidOf(lab.space("router"), "api");
          const snapshot = `${router.home}/state/dhcp/snapshot.json`;
          await eventually(
            "dhcpd knows of it",
            async () => (await Deno.readTextFile(snapshot)).includes(own!.split("/")[0]!),
          );
          Deno.kill(api, "SIGSTOP");
          try {
            const run = await lab.dhcp("a", ["-T", "7", "-t", "9"]);
            assert.ok(run.ok, run.stderr);
            assert.equal(await lab.address("a"), own);
          } finally {
            Deno.kill(api, "SIGCONT");
          }
        },
      );
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an interface with another DHCP server is served only once an admin confirms", async () => {
  const lab = await buildLab({ name: "foreign", clients: 2 });
  try {
    await lab.must("b", "ip", ["address", "add", "10.9.9.1/24", "dev", "eth0"]);
    const other = lab.spawn("b", "dnsmasq", [
      ...["--no-daemon", "--conf-file=/dev/null", "--port=0", "--interface=eth0", "--no-ping"],
      ...["--dhcp-range=10.9.9.10,10.9.9.90,255.255.255.0", "--dhcp-leasefile=/dev/null"],
    ]);
    const router = await startRouter(lab, { services: "dhcpd" });
    try {
      assert.ok((await lab.dhcp("a")).ok, other.output);
      const output = () => router.process.output;
      const serving = () => Promise.resolve(output().includes("Started DHCP on cl-b"));
      const notices = async () =>
        (await router.api("GET", "/notices")).json.items
          .filter(({ kind }: { readonly kind: string }) => kind !== "new-device");
      await eventually("there is a notice", async () => (await notices()).length > 0);
      assert.deepEqual((await notices())[0].data, {
        subject: "cl-b",
        interface: "cl-b",
        server: "10.9.9.1",
      });
      assert.equal(await serving(), false);
      const answer = await router.api("PUT", "/dhcp/serve", { body: { interface: "cl-b" } });
      assert.equal(answer.status, 200, answer.text);
      await eventually("it is served", serving);
      assert.deepEqual(await notices(), []);
    } finally {
      await router.close();
    }
  } finally {
    await lab.close();
  }
});

/** The process of Sluice with this name in a namespace. */
async function pidOf(space: string, name: string): Promise<number> {
  const { stdout } = await command("ip", ["netns", "pids", space]);
  for (const pid of stdout.split("\n").filter((text) => text !== "").map(Number)) {
    const line = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
    if (line.split("\0").includes(name)) return pid;
  }
  throw new Error(`There is no process ${name}`);
}
