import assert from "node:assert/strict";
import { findAccounts, type Ids, idsOf } from "../../../system/core/process/accounts.ts";
import { cacheFolder, privateFolder } from "../../../system/core/process/shared_home.ts";
import { parseSettings } from "../../../system/core/process/settings.ts";
import { PROCESSES, SERVICES } from "../../../system/processes.ts";
import { INTERNET } from "../../kit/lab/lab.ts";
import { type Bed, eventually, give, withBed } from "../../kit/lab/bed.ts";
import { command } from "../../kit/lab/command.ts";
import { data, dig } from "../../kit/lab/dig.ts";
import { pidsOf } from "../../kit/lab/pids.ts";
import { LEASED, leaseUplinks } from "../../kit/lab/uplink_leases.ts";
import { asUser, filesOf } from "../../kit/user_access.ts";

const RUNNING = ["api", "netd", "dhcpd", "dnsd", "multicastd", "uplinkd", "notifyd"];

const accounts = findAccounts(PROCESSES, {
  passwd: await Deno.readTextFile("/etc/passwd"),
  group: await Deno.readTextFile("/etc/group"),
});
assert.ok(typeof accounts !== "string");

function idsOfProcess(name: string): Ids {
  const { unit } = PROCESSES.find((one) => one.name === name)!;
  assert.ok(typeof accounts !== "string");
  return idsOf(unit!.account, accounts);
}

async function assertUsers({ lab }: Bed): Promise<void> {
  for (const name of RUNNING) {
    const [pid] = await pidsOf(lab, name);
    assert.ok(pid !== undefined, `${name} runs`);
    const status = await Deno.readTextFile(`/proc/${pid}/status`);
    const field = (key: string): string =>
      new RegExp(`^${key}:[ \\t]*(.*)$`, "m").exec(status)![1]!;
    const { uid, gid, groups } = idsOfProcess(name);
    assert.equal(field("Uid"), Array(4).fill(uid).join("\t"), name);
    assert.equal(field("Gid"), Array(4).fill(gid).join("\t"), name);
    assert.deepEqual(
      field("Groups").split(/\s+/).filter(Boolean).map(Number).sort(),
      [...groups].sort(),
    );
    assert.equal(field("NoNewPrivs"), "1", name);
  }
}

/** Nothing of the home but what a descriptor names, and what Deno keeps of the process. */
async function assertFiles(home: string): Promise<void> {
  const root = import.meta.dirname!;
  for (const process of PROCESSES) {
    const { name, unit } = process;
    if (unit === null || unit.account.user === "root") continue;
    const privateState = unit.privateState === true ? privateFolder(home, process) : null;
    const settings = parseSettings({ SLUICE_HOME: home }, {
      ...{ root, attached: true, services: SERVICES, privateState },
    });
    const own = process.permissions(settings);
    const named = (paths: readonly string[]) => [...paths, cacheFolder(home, process)];
    const ids = idsOfProcess(name);
    const beyond = async (access: "readable" | "writable", paths: readonly string[]) =>
      (await filesOf(ids, home, access)).filter((path) =>
        !named(paths).some((one) => path === one || path.startsWith(`${one}/`))
      );
    assert.deepEqual(await beyond("readable", own.read), [], `${name} reads`);
    assert.deepEqual(await beyond("writable", own.write), [], `${name} writes`);
  }
}

/** Nobody puts another folder in the place of one, or a link. */
async function assertPlaces(home: string): Promise<void> {
  for (
    const folder of [
      "state",
      "state/logs",
      "state/launcher",
      "state/net",
      "private",
      "private/netd",
    ]
  ) {
    for (const name of ["api", "dnsd", "dhcpd"]) {
      const [tool, ...args] = asUser(idsOfProcess(name), [
        "mv",
        `${home}/${folder}`,
        `${home}/${folder}.old`,
      ]);
      assert.equal((await command(tool!, args)).ok, false, `${name} moves ${folder}`);
    }
  }
  const api = idsOfProcess("api");
  const [tool, ...args] = asUser(api, ["mv", `${home}/state/launcher.lock`, `${home}/state/other`]);
  assert.equal((await command(tool!, args)).ok, false, "the launcher's lock");
}

Deno.test("under a launcher of root each process is a user of its own, and the router works", async (t) => {
  const router = { services: "dhcpd,dnsd,multicastd,uplinkd,notifyd", ownUsers: true };
  await withBed({ name: "users", lab: { clients: 2 }, leases: 0, router }, async (bed) => {
    const { lab, router } = bed;
    await t.step("users, groups and rights are those of the descriptors", () => assertUsers(bed));

    await t.step(
      "a device gets a lease, resolves names and has the access of its policies",
      async () => {
        await eventually("it has a lease", async () => {
          await lab.dhcp("a", ["-x", "hostname:tablet"]);
          return await lab.address("a") !== null;
        });
        assert.equal(await lab.tcp("a", INTERNET, 80), "timeout");
        await give(router, lab.clients[0]!.mac, { Policies: ["wan", "dns"] });
        assert.equal(await lab.tcp("a", INTERNET, 80), "open");
        await eventually(
          "local names are resolved",
          async () =>
            data(await dig(lab, "a", "192.168.2.1", "tablet.lan")).startsWith("192.168.2."),
        );
        await eventually("the query is in the log", async () => {
          const { status, text } = await router.api("GET", "/plugins/dns/log/entries");
          return status === 200 && text.includes("tablet");
        });
      },
    );

    await t.step("a message goes out", async () => {
      const added = await router.api("PUT", "/alerts/channels", {
        body: {
          ...{ name: "hook", kind: "webhook", url: `http://${INTERNET}/` },
          secret: "the key of the signature",
        },
      });
      const { id } = added.json[0];
      const { json } = await router.api("POST", `/alerts/channels/${id}/test`);
      assert.equal(json.ok, true, json.message);
    });

    await t.step("an uplink gets its address by DHCP", async () => {
      leaseUplinks(lab);
      // Edited in place, by root: the file stays the api's.
      const file = `${router.home}/configs/base/interfaces.json`;
      const interfaces = JSON.parse(await Deno.readTextFile(file));
      Object.assign(interfaces[0], { DisableDHCP: false, IP: "", Router: "" });
      await Deno.writeTextFile(file, JSON.stringify(interfaces));
      await eventually("the query is in the log", async () => {
        const { status, text } = await router.api("GET", "/plugins/dns/log/entries");
        return status === 200 && text.includes("tablet");
      });
    });

    await t.step("an uplink gets its address by DHCP", async () => {
      leaseUplinks(lab);
      const leased = await router.api("PUT", "/link/config", {
        body: { Name: "wan0", Type: "Uplink", DisableDHCP: false, IP: "", Router: "" },
      });
      assert.equal(leased.status, 200, leased.text);
      await eventually(
        "it has a lease",
        async () => LEASED.test(await lab.must("router", "ip", ["address", "show", "dev", "wan0"])),
      );
    });

    await t.step("lists are uploaded by the api and read by dnsd", async () => {
      const upload = await router.api("PUT", "/plugins/dns/block/upload/mine", {
        body: { Text: "ads.example\n" },
      });
      assert.equal(upload.status, 200, upload.text);
      await eventually("its name is blocked", async () => {
        const answer = await router.api(
          "GET",
          "/plugins/dns/block/explain?name=ads.example&client=192.168.2.6",
        );
        return answer.status === 200 && answer.json.verdict === "block";
      });
    });

    await t.step(
      "no user reads or writes what its descriptor does not name",
      () => assertFiles(router.home),
    );
    await t.step(
      "no user puts another folder in the place of one",
      () => assertPlaces(router.home),
    );

    await t.step("logs, launcher and console are there for the api and root", async () => {
      const logs = await router.api("GET", "/logs?limit=5");
      assert.equal(logs.status, 200, logs.text);
      assert.ok(logs.json.length > 0);
      const listed = await router.api("GET", "/info/docker");
      assert.ok(listed.json.length >= RUNNING.length, listed.text);
    });

    await t.step("after a kill of everything it goes on from its files", async () => {
      await router.stop("SIGKILL");
      await eventually(
        "the children are gone",
        async () => (await pidsOf(lab, "api")).length === 0,
      );
      await router.start();
      await eventually(
        "it is applied",
        async () => (await router.api("GET", "/network")).json.state === "applied",
      );
      assert.equal(await lab.tcp("a", INTERNET, 80), "open");
      await assertUsers(bed);
      await assertFiles(router.home);
    });
  });
});
