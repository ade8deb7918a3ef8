import assert from "node:assert/strict";
import {
  api,
  apiReady,
  follow,
  manual,
  property,
  stepsOf,
  UNITS,
  write,
} from "../kit/systemd/installed_router.ts";
import { buildLab, INTERNET } from "../kit/lab/lab.ts";
import { eventually } from "../kit/lab/bed.ts";
import { command, must } from "../kit/lab/command.ts";
import { data, dig } from "../kit/lab/dig.ts";
import { leaseUplinks } from "../kit/lab/uplink_leases.ts";

const MAC = "02:00:00:00:0a:01";

/** Microseconds from boot until a unit became active. */
async function since(unit: string): Promise<number> {
  return Number(await property(unit, "ActiveEnterTimestampMonotonic"));
}

Deno.test("after a power cut, an installed router resumes its state, and is removed without a trace", async (t) => {
  const step = stepsOf(t);
  await step("rules are loaded before any interface comes up", async () => {
    assert.equal(await property("sluice-boot.service", "ActiveState"), "active");
    const rules = await since("sluice-boot.service");
    assert.ok(rules > 0);
    assert.ok(rules < await since("network-pre.target"), "before the network");
    assert.ok(rules < await since("sysinit.target"));
    const run = `_SYSTEMD_INVOCATION_ID=${await property("sluice-boot.service", "InvocationID")}`;
    const output = await must("journalctl", ["-o", "cat", "--no-pager", "-q", run]);
    assert.equal(output, "", "the last ruleset was loaded");
  });

  await step(
    "all processes start by themselves, and units have no ordering cycle",
    async () => {
      await apiReady();
      for (const unit of UNITS) {
        assert.equal(await property(`sluice-${unit}.service`, "ActiveState"), "active", unit);
      }
      const output = await must("journalctl", [
        "-b",
        "--no-pager",
        "-o",
        "cat",
        "-g",
        "ordering cycle",
      ])
        .catch(() => "");
      assert.equal(output, "");
    },
  );

  const lab = await buildLab({ name: "sd", clients: 1, here: true });
  try {
    await step(
      "interfaces that appear late are configured, and devices keep their lease and access",
      async () => {
        leaseUplinks(lab);
        await apiReady("applied");
        const before = (await api("GET", "/devices")).json[MAC];
        assert.match(before.RecentIP, /^192\.168\.2\.\d+$/);
        await eventually("it has its lease again", async () => {
          const { stdout, stderr } = await lab.dhcp("a", ["-x", "hostname:tablet"]);
          const address = await lab.address("a");
          if (address === `${before.RecentIP}/30`) return true;
          throw new Error(`${address} instead of ${before.RecentIP}: ${stdout}${stderr}`);
        });
        await eventually("it is online", async () => await lab.tcp("a", INTERNET, 80) === "open");
        await eventually(
          "local names are resolved",
          async () => data(await dig(lab, "a", "192.168.2.1", "tablet.lan")) === before.RecentIP,
        );
      },
    );

    await step("TLS is still on, and the journal includes the previous boot", async () => {
      const page = ["-sk", "-o", "/dev/null", "-w", "%{http_code}", "https://127.0.0.1/"];
      assert.equal((await command("curl", page)).stdout, "200");
      const show = ["show", "--value", "--property=UserspaceTimestamp", "--timestamp=unix"];
      const boot = Number((await must("systemctl", show)).trim().slice(1)) * 1e6;
      const { json } = await api("GET", `/logs?process=api&limit=2000&before=${boot}`);
      assert.ok(
        json.some(({ MESSAGE }: { readonly MESSAGE: string }) => /Listening/.test(MESSAGE)),
      );
    });

    await step("netd, and not the api, says whether the next boot loads the rules", async () => {
      const boot = await must("systemctl", ["cat", "sluice-boot.service"]);
      assert.match(boot, /^ConditionPathExists=!\/var\/lib\/sluice-netd\/released$/m);
      const there = (path: string) => Deno.stat(path).then(() => true, () => false);
      const mark = "/var/lib/sluice-netd/released", rules = "/var/lib/sluice-netd/boot.nft";
      const release = (await manual("Taking it off a router")).slice(0, 1);
      const apply = release.map((line) => line.replace("network release", "network apply"));
      await follow(release);
      await eventually("it is marked", async () => await there(mark) && !await there(rules));
      await follow(apply);
      await eventually(
        "the rules are loaded",
        async () => await there(rules) && !await there(mark),
      );
      // Without an api, by root.
      await must("systemctl", ["stop", "sluice-api"]);
      await follow(release);
      assert.deepEqual([await there(mark), await there(rules)], [true, false]);
      await must("systemctl", ["start", "sluice-api"]);
      await apiReady("released");
      await follow(apply);
      await apiReady("applied");
      await eventually(
        "they are loaded again",
        async () => await there(rules) && !await there(mark),
      );
    });

    await step("the manual's commands remove it", async () => {
      await write("PUT", `/device?identity=${MAC}`, { Policies: [] });
      await follow(await manual("Taking it off a router"));
      const { stdout } = await command("nft", ["list", "tables"]);
      assert.doesNotMatch(stdout, /filter|nat|mangle|accounting/);
      for (const unit of UNITS) {
        assert.equal(await property(`sluice-${unit}.service`, "LoadState"), "not-found", unit);
      }
      assert.doesNotMatch(await must("getent", ["passwd"]), /sluice/);
      assert.doesNotMatch(await must("getent", ["group"]), /sluice/);
      const folders = ["/etc/systemd/system", "/var/lib", "/var/cache", "/run"];
      const left = await must("find", [
        ...folders,
        "-name",
        "*sluice*",
        "-not",
        "-path",
        "/run/vm*",
      ]);
      assert.equal(left, "");
    });
  } finally {
    await lab.close();
  }
});
