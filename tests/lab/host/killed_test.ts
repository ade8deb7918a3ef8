import assert from "node:assert/strict";
import { PROCESSES, SERVICES } from "../../../system/processes.ts";
import { INTERNET } from "../../kit/lab/lab.ts";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";
import { data, dig } from "../../kit/lab/dig.ts";
import { pidsOf } from "../../kit/lab/pids.ts";

/** Those of a service that runs only with what it is for come with that. */
const KILLED = PROCESSES.filter(({ name, optional, runs }) =>
  name === "netd" || optional && runs === "always"
).map(({ name }) => name);

Deno.test("services killed during leases, a renumbering and writes recover by themselves", () =>
  withBed({
    name: "killed",
    leases: 2,
    router: { services: SERVICES.join(",") },
  }, async ({ lab, router, clients: [a, b] }) => {
    await give(router, a!.mac, { Policies: ["wan", "dns"], Name: "first" });
    await give(router, b!.mac, { Policies: ["dns"], Name: "second" });
    const kill = async (): Promise<void> => {
      for (const name of KILLED) {
        for (const pid of await pidsOf(lab, name)) Deno.kill(pid, "SIGKILL");
      }
    };
    const applied = async () => (await router.api("GET", "/network")).json.state === "applied";
    const nets = ["192.168.2.0/24", "10.77.0.0/24"];
    for (const net of nets.toReversed()) {
      const before = new Set((await Promise.all(KILLED.map((name) => pidsOf(lab, name)))).flat());
      const body = { TinyNets: [net], LeaseTime: "1h0m0s" };
      const write = router.api("PUT", "/subnetConfig", { body });
      const lease = lab.dhcp("a", ["-B"]).catch(() => null);
      await kill();
      const { status, text } = await write;
      await lease;
      assert.ok([200, 502].includes(status), text);
      await eventually("the network is applied", applied);
      if (status === 502) {
        const kept = (await router.api("GET", "/subnetConfig")).json.TinyNets;
        assert.notDeepEqual(kept, [net], "what was refused is not stored");
        await eventually(
          "it is taken now",
          async () => (await router.api("PUT", "/subnetConfig", { body })).status === 200,
        );
      }
      const first = net.split(".").slice(0, 3).join(".");
      const given = async (client: typeof a) => await router.lease(client!).catch(() => null);
      await eventually(
        "a client has an address of the new network",
        async () => (await given(a))?.IP.startsWith(`${first}.`) ?? false,
      );
      let second = "";
      await eventually("and the other as well", async () => {
        second = (await given(b))?.IP ?? "";
        return second.startsWith(`${first}.`);
      });
      await eventually(
        "names are answered",
        async () => data(await dig(lab, "a", `${first}.1`, "second.lan")) === second,
      );
      assert.equal(await lab.tcp("a", INTERNET, 80), "open");
      assert.notEqual(await lab.tcp("b", INTERNET, 80), "open");
      for (const name of KILLED) {
        await eventually(
          `${name} runs anew`,
          async () => {
            const pids = await pidsOf(lab, name);
            return pids.length === 1 && !before.has(pids[0]!);
          },
        );
      }
      assert.deepEqual(
        (await router.api("GET", "/changes?limit=50")).json.items
          .filter(({ state }: { state: string }) => ["pending", "broken"].includes(state)),
        [],
      );
    }
  }));
