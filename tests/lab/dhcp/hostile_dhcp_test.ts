import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { INTERNET } from "../../kit/lab/lab.ts";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";
import { command } from "../../kit/lab/command.ts";

const SCRIPT = fileURLToPath(new URL("../../kit/programs/discover.ts", import.meta.url));
const MADE_UP = fileURLToPath(new URL("../../kit/programs/simulated_clients.ts", import.meta.url));
const IN_NAME = fileURLToPath(new URL("../../kit/programs/dhcp_in_name.ts", import.meta.url));
const FUZZ = fileURLToPath(new URL("../../kit/programs/dhcp_fuzz.ts", import.meta.url));

Deno.test("hostile DHCP clients do not affect others", async (t) => {
  const bed = { name: "hostile", lab: { clients: 4 }, leases: 0, router: { services: "dhcpd" } };
  await withBed(bed, async ({ lab, router }) => {
    const [a, , c, d] = lab.clients;
    const host = async (part: string): Promise<string> =>
      (await lab.address(part))?.split("/")[0] ?? "";
    const online = async (part: string): Promise<boolean> =>
      await lab.tcp(part, INTERNET, 80) === "open";
    for (const part of ["a", "b", "c", "d"]) {
      const run = await lab.dhcp(part);
      assert.ok(run.ok, run.stderr);
    }
    await give(router, a!.mac, { Policies: ["wan"] });
    const own = await host("a");
    const kinds = async (): Promise<string[]> =>
      (await router.api("GET", "/notices")).json.items.map(({ kind }: { kind: string }) => kind)
        .filter((kind: string) => kind !== "new-device");

    await t.step("another device's address, spoofed or requested, gives no access", async () => {
      await lab.must("d", "ip", ["address", "add", `${own}/30`, "dev", "eth0"]);
      const squat = await lab.exec("d", "ping", ["-c1", "-W1", "-I", own, INTERNET]);
      assert.equal(squat.ok, false);
      assert.equal(await online("a"), true, "its owner notices nothing");
      await lab.must("d", "ip", ["address", "del", `${own}/30`, "dev", "eth0"]);
      assert.ok((await lab.dhcp("d", ["-r", own])).ok);
      assert.notEqual(await host("d"), own);
    });

    await t.step("a cloned MAC address gets nothing while its owner answers", async () => {
      const link = (...args: readonly string[]) =>
        lab.must("d", "ip", ["link", "set", "eth0", ...args]);
      await link("address", a!.mac);
      assert.equal((await lab.dhcp("d", ["-t", "2"])).ok, false);
      assert.deepEqual([await online("d"), await online("a")], [false, true]);
      assert.deepEqual(await kinds(), ["mac-on-two-interfaces"]);
      await link("address", d!.mac);
      assert.ok((await lab.dhcp("d")).ok);
    });

    await t.step("DECLINE, RELEASE and REQUEST in another's name move nobody", async () => {
      const speak = lab.deno("d", IN_NAME, ["eth0", a!.mac, own]);
      await speak.line(/^done$/);
      await eventually(
        "it is reported",
        async () => (await kinds()).includes("dhcp-foreign-sender"),
      );
      const device = (await router.api("GET", "/devices")).json[a!.mac];
      assert.deepEqual([device.RecentIP, device.DHCPLastInterface, device.Online], [
        own,
        "cl-a",
        true,
      ]);
      assert.equal(await online("a"), true);
      assert.ok((await lab.dhcp("a")).ok);
      assert.equal(await host("a"), own);
      assert.ok(!(await kinds()).includes("dhcp-foreign-sender"), "its own request was received");
    });

    await t.step("a flood of random MAC addresses keeps no device from its address", async () => {
      const address = await host("b");
      const flood = lab.deno("d", SCRIPT, ["eth0", "1500"]);
      await flood.line(/^ready$/);
      assert.ok((await lab.dhcp("b")).ok, "while it comes in");
      await flood.line(/^done$/);
      for (const part of ["b", "c", "d"]) assert.ok((await lab.dhcp(part)).ok, part);
      assert.equal(await host("b"), address);
      const devices = Object.keys((await router.api("GET", "/devices")).json);
      assert.equal(devices.length, 4, "who only discovers is no device");
      const { items } = (await router.api("GET", "/notices")).json;
      assert.ok(
        items.every(({ kind }: { kind: string }) => kind !== "dhcp-pool-exhausted"),
        "the pool is not used up by it",
      );
      assert.equal(
        (await router.api("PUT", "/device?identity=" + c!.mac, {
          body: { Policies: ["wan"] },
        })).status,
        200,
      );
      assert.equal(await online("c"), true);
      const lines = router.process.output.split("\n")
        .filter((line) => line.includes("A client got no address"));
      assert.ok(lines.length < 10, `${lines.length} lines of the log`);
    });

    await t.step("malformed messages are counted, and dhcpd continues", async () => {
      const devices = async (): Promise<number> =>
        Object.keys((await router.api("GET", "/devices")).json).length;
      const before = await devices();
      const address = await host("b");
      const fuzz = lab.deno("d", FUZZ, ["eth0", "3000", "1"]);
      assert.ok((await lab.dhcp("b")).ok, "while it comes in");
      await fuzz.line(/^done$/);
      assert.ok((await lab.dhcp("b")).ok);
      assert.equal(await host("b"), address);
      assert.ok((await lab.dhcp("d")).ok, "who sent it is accepted again");
      assert.equal(await devices(), before);
      assert.doesNotMatch(router.process.output, /ended by itself/);
      await lab.must("router", "ip", ["link", "set", "cl-d", "down"]);
      await lab.must("router", "ip", ["link", "set", "cl-d", "name", "away"]);
      await eventually(
        "it is reported",
        () => Promise.resolve(/DHCP statistics of cl-d/.test(router.process.output)),
      );
      const [, counts = ""] = /^(.*DHCP statistics of cl-d.*)$/m.exec(router.process.output) ?? [];
      const dropped = Number(/"dropped":(\d+)/.exec(counts)?.[1]);
      assert.ok(dropped > 1500, counts);
      await lab.must("router", "ip", ["link", "set", "away", "name", "cl-d", "up"]);
    });

    await t.step(
      "after dhcpd and the api are killed, a client renews as soon as they restart",
      async () => {
        const address = await host("b");
        for (const name of ["dhcpd", "api"]) {
          await kill(lab.space("router"), name);
          assert.ok((await lab.dhcp("b")).ok, name);
          assert.equal(await host("b"), address);
        }
        await eventually(
          "the api has its kernel again",
          async () =>
            (await router.api("GET", "/network").catch(() => null))?.json?.state === "applied",
        );
        // dhcpd asks anew within half a second.
        await new Promise((resolve) => setTimeout(resolve, 1000));
        assert.doesNotMatch(
          router.process.output,
          /Stopped DHCP on cl-b/,
          "an api that starts takes no link away",
        );
      },
    );

    await t.step("sequential random MAC addresses exhaust no pool", async () => {
      const clients = lab.deno("d", MADE_UP, ["eth0", "64"]);
      const [, got = ""] = /^got (\d+)$/.exec(await clients.line(/^got /)) ?? [];
      // The link's own machine is one of those that nobody has decided about.
      assert.equal(Number(got), 31, "one link's share of an hour");
      const { items } = (await router.api("GET", "/notices")).json;
      const held = items.filter(({ kind }: { kind: string }) => kind === "unknown-devices-limited");
      assert.deepEqual(
        held.map(({ data }: { data: { subject: string; limit: string } }) => [
          data.subject,
          data.limit,
        ]),
        [["cl-d", "rate"]],
      );
      for (const part of ["a", "b", "c", "d"]) assert.ok((await lab.dhcp(part)).ok, part);
      assert.equal(await online("c"), true);
      // A MAC address that was added by hand is a known device, even there.
      const mac = "02:66:00:00:00:ff";
      await lab.must("d", "ip", ["link", "set", "eth0", "address", mac]);
      assert.equal((await lab.dhcp("d", ["-t", "2"])).ok, false);
      await give(router, mac, { MAC: mac, Policies: ["wan"] });
      assert.ok((await lab.dhcp("d")).ok);
      assert.equal(await online("d"), true);
    });
  });
});

/** Kills a process of Sluice in a namespace by its name. */
async function kill(space: string, name: string): Promise<void> {
  const { stdout } = await command("ip", ["netns", "pids", space]);
  for (const pid of stdout.split("\n").filter((text) => text !== "").map(Number)) {
    const line = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
    if (line.split("\0").includes(name)) Deno.kill(pid, "SIGKILL");
  }
}
