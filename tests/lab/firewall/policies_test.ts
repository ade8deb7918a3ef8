import assert from "node:assert/strict";
import { type BedClient, eventually, give, withBed } from "../../kit/lab/bed.ts";
import { INTERNET } from "../../kit/lab/lab.ts";

const BED = { name: "policies" };

Deno.test("policies with real packets, from the API to the client", async (t) => {
  await withBed(BED, async ({ lab, router, clients }) => {
    const [a, b, c] = clients as [BedClient, BedClient, BedClient];
    const reaches = (from: string, address: string, port = 80) =>
      lab.tcp(from, address, port).then((answer) => answer === "open");

    await t.step("nothing is allowed by default", async () => {
      assert.equal(await reaches("a", INTERNET), false, "the Internet");
      assert.equal(await lab.ping("a", b.IP), false, "another device");
      assert.equal(await reaches("a", a.RouterIP), false, "the router's admin port");
    });

    await t.step("a preview says what the kernel then does", async () => {
      const path = `/device?identity=${a.mac}`;
      const preview =
        (await router.api("PUT", `${path}&dryRun=true`, { body: { Policies: ["wan"] } })).json;
      assert.ok(
        preview.reach.allowed.some((flip: { from: string; to: string }) =>
          flip.from === a.mac && flip.to === "internet"
        ),
        JSON.stringify(preview.reach),
      );
      assert.equal(await lab.tcp("a", INTERNET, 80), "timeout", "nothing moved");
      await give(router, a.mac, { Policies: ["wan"] });
      assert.equal(await lab.tcp("a", INTERNET, 80), "open");
      await give(router, a.mac, { Policies: [] });
    });

    await t.step(
      "a change that would cut its own caller off is refused with the deciding rule",
      async () => {
        await give(router, a.mac, { Policies: ["wan"] });
        const call = (query: string, headers: readonly string[] = []) =>
          lab.exec("a", "curl", [
            "-s",
            "-o",
            "-",
            "-w",
            "\n%{http_code}",
            "-u",
            "admin:lab-password",
            "-X",
            "PUT",
            ...headers.flatMap((header) => ["-H", header]),
            "-d",
            '{"Policies":["wan","noapi"]}',
            `http://${a.RouterIP}/device?identity=${a.mac}${query}`,
          ]);
        const refused = await call("");
        assert.match(refused.stdout, /\n409$/, refused.stdout);
        assert.match(refused.stdout, /"rule"/);
        const tried = await call("", ["Confirm-Within: 10"]);
        assert.match(tried.stdout, /\n200$/, tried.stdout);
        assert.equal(
          await lab.tcp("a", a.RouterIP, 80),
          "timeout",
          "locked out for the time being",
        );
        await eventually(
          "the unconfirmed change undoes itself",
          async () => await lab.tcp("a", a.RouterIP, 80) === "open",
        );
      },
    );

    await t.step("wan opens the Internet, masqueraded, and nothing in the LAN", async () => {
      await give(router, a.mac, { Policies: ["wan"] });
      assert.equal(await reaches("a", INTERNET), true);
      assert.equal(await lab.ping("a", INTERNET), true);
      assert.equal(await reaches("b", INTERNET), false, "another device has nothing");
      assert.equal(await lab.ping("a", b.IP), false);
    });

    await t.step("taking wan away cuts a running connection, and undo gives it back", async () => {
      const held = await lab.hold("a", INTERNET);
      const change = await give(router, a.mac, { Policies: [] });
      assert.equal(await held.breaks(), true, "the running connection was cut");
      await held.close();
      assert.equal(await reaches("a", INTERNET), false);
      const undone = await router.api("PUT", `/changes/${change}/undo`);
      assert.equal(undone.status, 200, undone.text);
      assert.equal(await reaches("a", INTERNET), true);
    });

    await t.step("a connection that stays allowed is not cut by another revocation", async () => {
      await give(router, a.mac, { Policies: ["wan", "lan"] });
      const held = await lab.hold("a", INTERNET);
      await give(router, a.mac, { Policies: ["wan"] });
      assert.equal(await held.breaks(), false, "the Internet is still allowed");
      await held.close();
    });

    await t.step(
      "a group that is closed by its schedule cuts its members off, until it opens",
      async () => {
        await give(router, a.mac, { Policies: ["wan"] });
        const group = { Name: "hours", Policies: ["wan"], Members: [a.mac] };
        const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
        const other = days[(new Date().getDay() + 3) % 7]!;
        const times = (Days: readonly string[]) => ({
          body: { ...group, Schedule: [{ Days, From: "00:00", To: "00:00" }] },
        });
        const open = await router.api("PUT", "/groups", times(days));
        assert.equal(open.status, 200, open.text);
        const held = await lab.hold("a", INTERNET);
        const closed = await router.api("PUT", "/groups", times([other]));
        assert.equal(closed.status, 200, closed.text);
        assert.equal(await held.breaks(), true, "the running connection was cut");
        await held.close();
        assert.equal(await reaches("a", INTERNET), false);
        await router.api("PUT", "/groups", times(days));
        assert.equal(await reaches("a", INTERNET), true);
        await router.api("DELETE", "/groups", { body: { Name: "hours" } });
      },
    );

    await t.step("a group opens both ways and closes when it is disabled", async () => {
      await give(router, a.mac, { Groups: ["kids"] });
      await give(router, b.mac, { Groups: ["kids"] });
      assert.equal(await lab.ping("a", b.IP), true);
      assert.equal(await lab.ping("b", a.IP), true);
      assert.equal(await lab.ping("a", c.IP), false, "not a member");
      assert.equal(await lab.ping("c", a.IP), false, "not a member");
      await router.api("PUT", "/groups", { body: { Name: "kids", Disabled: true } });
      assert.equal(await lab.ping("a", b.IP), false);
      await router.api("PUT", "/groups", { body: { Name: "kids", Disabled: false } });
      assert.equal(await lab.ping("b", a.IP), true);
      const deleted = await router.api("DELETE", "/groups", { body: { Name: "kids" } });
      assert.equal(deleted.status, 200, deleted.text);
      assert.equal(await lab.ping("a", b.IP), false);
      const devices = (await router.api("GET", "/devices")).json;
      assert.deepEqual(devices[a.mac].Groups, [], "the name is off every device");
      assert.doesNotMatch(await lab.must("router", "nft", ["list", "ruleset"]), /kids/);
    });

    await t.step("lan opens one way", async () => {
      await give(router, c.mac, { Policies: ["lan"] });
      assert.equal(await lab.ping("c", a.IP), true);
      assert.equal(await lab.ping("a", c.IP), false);
    });

    await t.step("quarantine closes everything, whatever else the device holds", async () => {
      await give(router, c.mac, { Policies: ["lan", "wan", "quarantine"] });
      assert.equal(await lab.ping("c", a.IP), false);
      assert.equal(await reaches("c", INTERNET), false);
      await give(router, b.mac, { Policies: ["lan"] });
      assert.equal(await lab.ping("b", c.IP), false, "nothing reaches it");
      assert.equal(await lab.ping("b", a.IP), true);
    });

    await t.step("a disabled device reaches nothing, and a rename does not enable it", async () => {
      await give(router, a.mac, { Policies: ["wan", "lan"], DeviceDisabled: true });
      assert.equal(await reaches("a", INTERNET), false);
      await give(router, a.mac, { Name: "still blocked" });
      assert.equal(await reaches("a", INTERNET), false);
      await give(router, a.mac, { DeviceDisabled: false });
      assert.equal(await reaches("a", INTERNET), true);
    });

    await t.step("a spoofed address or card gets nowhere", async () => {
      await give(router, a.mac, { Policies: ["wan", "lan"] });
      await give(router, b.mac, { Policies: [] });
      await lab.must("b", "ip", ["addr", "add", `${a.IP}/32`, "dev", "eth0"]);
      const spoofed = await lab.exec("b", "ping", ["-c1", "-W1", "-I", a.IP, INTERNET]);
      assert.equal(spoofed.ok, false, "b with the address of a");
      await lab.must("b", "ip", ["addr", "del", `${a.IP}/32`, "dev", "eth0"]);
      await lab.must("a", "ip", ["link", "set", "eth0", "address", "02:00:00:00:99:99"]);
      assert.equal(await reaches("a", INTERNET), false, "a's address from another card");
      await lab.must("a", "ip", ["link", "set", "eth0", "address", a.mac]);
    });

    await t.step("noapi closes the admin port; without it the port opens", async () => {
      assert.equal(await reaches("a", a.RouterIP), true);
      await give(router, a.mac, { Policies: ["wan", "noapi"] });
      assert.equal(await reaches("a", a.RouterIP), false);
      assert.equal(await reaches("wan", "203.0.113.2"), false, "never from the uplink");
    });

    await t.step("the whole first slice is still so after kill -9 and restart", async () => {
      await give(router, a.mac, { Policies: ["wan"], Groups: ["after"] });
      await give(router, b.mac, { Policies: [], Groups: ["after"] });
      const held = await lab.hold("a", INTERNET);
      await router.stop("SIGKILL");
      assert.equal(await reaches("a", INTERNET), true, "rules stay while nothing runs");
      assert.equal(await reaches("b", INTERNET), false);
      await router.start();
      assert.equal(await held.breaks(), false, "a restart cuts nothing");
      await held.close();
      assert.equal(await reaches("a", INTERNET), true);
      assert.equal(await reaches("b", INTERNET), false);
      assert.equal(await lab.ping("a", b.IP), true);
      await give(router, a.mac, { Policies: [] });
      assert.equal(await reaches("a", INTERNET), false, "and changes go on");
    });
  });
});
