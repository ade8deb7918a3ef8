import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { INTERNET } from "../../kit/lab/lab.ts";
import { type Bed, eventually, give, withBed } from "../../kit/lab/bed.ts";
import { LAB_PASSWORD } from "../../kit/lab/router.ts";

const CTL = fileURLToPath(new URL("../../../routes/ctl.ts", import.meta.url));
const OTHERS = "table ip other {\n set many {\n  type ipv4_addr\n  elements = { " +
  Array.from({ length: 500 }, (_, i) => `10.9.${i >> 8}.${i & 255}`).join(", ") +
  " }\n }\n chain guard {\n  type filter hook forward priority 5; policy accept;\n" +
  "  ip saddr @many drop\n }\n}\n";

/** Runs ctl as root in the router. */
async function ctl(bed: Bed, ...words: readonly string[]) {
  const { lab, router } = bed;
  const args = [`SLUICE_HOME=${router.home}`, Deno.execPath(), "run", "-q", "-A", CTL, ...words];
  return await lab.exec("router", "env", args);
}

const list = ({ lab }: Bed, ...what: readonly string[]): Promise<string> =>
  lab.must("router", "nft", ["-s", ...what]);

/** Everything of `ip` and `nft` that a release must leave as it was. */
async function machine(bed: Bed): Promise<string> {
  const { lab } = bed;
  const parts = [
    await list(bed, "list", "ruleset"),
    await lab.must("router", "ip", ["-o", "-4", "address", "show"]),
    await lab.must("router", "ip", ["neigh", "show", "nud", "permanent"]),
    await lab.must("router", "ip", ["-4", "route", "show"]),
  ];
  return parts.join("\n").replaceAll(/valid_lft.*/g, "");
}

Deno.test("root's console shows the state, undoes a change, releases and applies", async (t) => {
  await withBed({ name: "release", lab: { clients: 2 }, leases: 0 }, async (bed) => {
    const { lab, router } = bed;
    await lab.must("router", "nft", ["-f", "-"], OTHERS);
    const others = await list(bed, "list", "table", "ip", "other");
    const lease = await router.lease(lab.clients[0]!);
    const { mac } = lab.clients[0]!;
    const change = await give(router, mac, { Policies: ["wan"] });

    await t.step("status and changes, undo by id", async () => {
      const status = await ctl(bed, "network", "status");
      assert.equal(status.code, 0, status.stderr);
      assert.match(status.stdout, /^The network is applied\./);
      const changes = await ctl(bed, "changes");
      assert.match(changes.stdout, new RegExp(`^${change}  .*admin`, "m"));
      assert.equal((await ctl(bed, "changes", "undo", change)).code, 0);
      assert.equal(await lab.tcp("a", INTERNET, 80), "timeout");
      const again = await ctl(bed, "changes", "undo", change);
      assert.equal(again.code, 1);
      assert.notEqual(again.stderr.trim(), "");
      await give(router, mac, { Policies: ["wan"] });
      assert.equal((await ctl(bed, "network", "repair")).code, 0);
      assert.equal((await ctl(bed, "network", "nonsense")).code, 64);
    });

    await t.step("release removes our tables and nothing else", async () => {
      const released = await ctl(bed, "network", "release");
      assert.equal(released.code, 0, released.stderr);
      assert.match(released.stdout, /released/);
      assert.equal(await list(bed, "list", "ruleset"), others);
      const now = await machine(bed);
      assert.doesNotMatch(now, /192\.168\./);
      assert.match(now, /203\.0\.113\.2\/24/, "the uplink's address stays");
      assert.match(now, /default via 203\.0\.113\.1/, "and its route");
      await eventually(
        "the next boot loads nothing",
        () => Deno.stat(`${router.home}/state/net/boot.nft`).then(() => false, () => true),
      );
    });

    await t.step(
      "a released network stays released across a restart, and changes are stored",
      async () => {
        const before = await machine(bed);
        await router.stop();
        await router.start();
        await give(router, mac, { Policies: ["wan", "dns"] });
        // The kernel is not known before netd has come up.
        await eventually(
          "the network is released",
          async () => (await router.api("GET", "/network")).json.state === "released",
        );
        assert.equal(await machine(bed), before);
      },
    );

    await t.step("apply restores the network with the changes made meanwhile", async () => {
      const applied = await ctl(bed, "network", "apply");
      assert.equal(applied.code, 0, applied.stderr);
      await lab.setAddress("a", lease.IP, lease.RouterIP);
      assert.equal(await lab.tcp("a", INTERNET, 80), "open");
      assert.match(await list(bed, "list", "map", "inet", "filter", "dns_access"), /cl-a/);
      assert.equal(await list(bed, "list", "table", "ip", "other"), others);
    });

    await t.step(
      "release works without an api",
      async () => {
        await router.stop("SIGKILL");
        await eventually(
          "the children are gone",
          async () => (await ctl(bed, "network", "status")).code === 2,
        );
        const released = await ctl(bed, "network", "release");
        assert.equal(released.code, 0, released.stderr);
        assert.match(released.stdout, /without it/);
        assert.equal(await list(bed, "list", "ruleset"), others);
        assert.doesNotMatch(await machine(bed), /192\.168\./);
        await router.start();
        // The kernel is not known before netd has come up.
        await eventually("it is released still", async () => {
          return (await router.api("GET", "/network")).json.state === "released";
        });
        assert.equal((await ctl(bed, "network", "apply")).code, 0);
        assert.equal(await lab.tcp("a", INTERNET, 80), "open");
      },
    );

    await t.step("stopping and starting does not touch foreign tables", async () => {
      await router.stop();
      await router.start();
      assert.equal(await list(bed, "list", "table", "ip", "other"), others);
    });
  });
});

Deno.test("a foreign table with our name blocks changes until an admin takes it over", () =>
  withBed({ name: "foreign", lab: { clients: 1 } }, async (bed) => {
    const { lab, router } = bed;
    await router.stop();
    const mine = "table inet filter {\n chain mine {\n  counter\n }\n}\n";
    await lab.must("router", "nft", ["flush", "ruleset"]);
    await lab.must("router", "nft", ["-f", "-"], mine);
    const before = await list(bed, "list", "ruleset");
    await router.start();
    // The kernel is not known before netd has come up.
    await eventually("changes are blocked", async () => {
      return (await router.api("GET", "/network")).json.state === "blocked";
    });
    assert.match((await router.api("GET", "/network")).json.detail, /table inet filter/);
    assert.equal(await list(bed, "list", "ruleset"), before);
    const token = await router.api("PUT", "/network/takeover?force=true", {
      headers: { authorization: "Bearer nonsense" },
    });
    assert.equal(token.status, 401);
    assert.equal((await router.api("PUT", "/network/takeover")).status, 409);
    assert.equal(await list(bed, "list", "ruleset"), before);
    const taken = await router.api("PUT", "/network/takeover?force=true", {
      headers: { authorization: `Basic ${btoa(`admin:${LAB_PASSWORD}`)}` },
    });
    assert.equal(taken.json.state, "applied", taken.text);
    assert.doesNotMatch(await list(bed, "list", "ruleset"), /chain mine/);
  }));

Deno.test("the boot ruleset loads on its own and equals the active one", () =>
  withBed({ name: "boot", lab: { clients: 2 } }, async (bed) => {
    const { lab, router } = bed;
    await give(router, lab.clients[0]!.mac, { Policies: ["wan"], Groups: ["kids"] });
    const active = await list(bed, "list", "ruleset");
    const file = `${router.home}/state/net/boot.nft`;
    const closed = fileURLToPath(new URL("../../../configs/systemd/closed.nft", import.meta.url));
    const loaded = async (): Promise<string> => {
      const script = 'nft -f "$1" && { [ ! -e "$2" ] || nft -f "$2"; } && nft -s list ruleset';
      const { stdout, stderr, success } = await new Deno.Command("unshare", {
        args: ["-n", "sh", "-c", script, "sh", closed, file],
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      return new TextDecoder().decode(stdout);
    };
    await eventually("the file is what is in force", async () => await loaded() === active);
    assert.equal((await Deno.stat(file)).mode! & 0o077, 0, "for its owner alone");
    await give(router, lab.clients[0]!.mac, { Policies: [] });
    const later = await list(bed, "list", "ruleset");
    assert.notEqual(later, active);
    await eventually("the file follows a change", async () => await loaded() === later);
    await router.stop();
    await Deno.remove(file);
    assert.match(
      await loaded(),
      /hook forward priority filter; policy drop;/,
      "nothing is forwarded",
    );
  }));
