import assert from "node:assert/strict";
import { buildLab, INTERNET } from "../../kit/lab/lab.ts";
import { startRouter } from "../../kit/lab/router.ts";

Deno.test("wired clients get their own network by DHCP, and keep it", async (t) => {
  const lab = await buildLab({ name: "dhcp" });
  try {
    const router = await startRouter(lab, { services: "dhcpd" });
    try {
      const lease = (client: string, ...args: string[]) => lab.dhcp(client, args);
      const address = (client: string) => lab.address(client);

      await t.step("an unknown client gets an address at once", async () => {
        const run = await lease("a", "-x", "hostname:kids-tablet");
        assert.ok(run.ok, run.stderr + run.stdout);
        assert.match(await address("a") ?? "", /^192\.168\.2\.\d+\/30$/);
        const device = (await router.api("GET", "/devices")).json["02:00:00:00:0a:01"];
        assert.equal(device.Name, "kids-tablet");
        assert.deepEqual(device.Policies, ["noapi"]);
        assert.equal(device.DHCPLastInterface, "cl-a");
        assert.equal(device.Online, true);
      });

      await t.step("two concurrent clients get two addresses", async () => {
        const runs = await Promise.all([lease("b"), lease("c")]);
        assert.ok(runs.every((run) => run.ok), runs.map((run) => run.stderr).join());
        assert.notEqual(await address("b"), await address("c"));
      });

      await t.step("the leased address has the access that its policies allow", async () => {
        assert.equal(await lab.tcp("a", INTERNET, 80), "timeout");
        await router.api("PUT", "/device?identity=02:00:00:00:0a:01", {
          body: { Policies: ["wan"] },
        });
        assert.equal(await lab.tcp("a", INTERNET, 80), "open");
      });

      await t.step(
        "a client keeps its address, whatever address it requests",
        async () => {
          const before = await address("a");
          assert.ok((await lease("a", "-r", "10.9.9.9")).ok);
          assert.equal(await address("a"), before);
        },
      );

      await t.step("DHCP is not served on the uplink", async () => {
        const run = await lab.exec("wan", "udhcpc", [
          "-i",
          "wan0",
          "-n",
          "-q",
          "-f",
          "-t",
          "2",
          "-T",
          "1",
          "-s",
          "/bin/true",
        ]);
        assert.equal(run.ok, false);
      });

      await t.step("a restart of Sluice loses no lease", async () => {
        const before = await address("b");
        await router.stop();
        await router.start();
        assert.ok((await lease("b")).ok);
        assert.equal(await address("b"), before);
      });
    } finally {
      await router.close();
    }
  } finally {
    await lab.close();
  }
});
