import assert from "node:assert/strict";
import type { GeoBlockStatus } from "../../../system/geo/schema.ts";
import { startTestLookup } from "../../kit/builders/lookup_data.ts";
import { pidsOf } from "../../kit/lab/pids.ts";
import { type BedClient, eventually, give, withBed } from "../../kit/lab/bed.ts";
import { INTERNET, UPLINK } from "../../kit/lab/lab.ts";

/** An address of the Internet that no country has. */
const ELSEWHERE = "198.51.101.7";
/** Addresses of IPv6 in a country that is blocked, and in none, and the router's own. */
const SIX = { blocked: "2606:9900::7", elsewhere: "2606:9a00::7", router: "2606:9b00::2" };
const PATH = "/firewall/geo_block";
const SCRIPT = new URL("../../../configs/systemd/load_last.sh", import.meta.url).pathname;

Deno.test("countries are blocked in both directions with real packets, whatever else is allowed", async (t) => {
  await withBed({ name: "geo", leases: 1 }, async ({ lab, router, clients }) => {
    await using _lookup = await startTestLookup(router.home);
    const [a] = clients as [BedClient];
    await give(router, a.mac, { Policies: ["wan"] });
    const inWan = (...args: string[]) => lab.must("wan", "ip", args);
    const inRouter = (...args: string[]) => lab.must("router", "ip", args);
    await inWan("address", "add", `${ELSEWHERE}/32`, "dev", "lo");
    for (const address of [SIX.blocked, SIX.elsewhere]) {
      await inWan("address", "add", `${address}/128`, "dev", "lo", "nodad");
    }
    await inWan("address", "add", "2606:9b00::1/64", "dev", "wan0", "nodad");
    await inRouter("address", "add", `${SIX.router}/64`, "dev", "wan0", "nodad");
    for (const address of [SIX.blocked, SIX.elsewhere]) {
      await inRouter("route", "replace", `${address}/128`, "via", "2606:9b00::1", "dev", "wan0");
    }
    const reaches = (address: string) => lab.ping("a", address);
    const status = async (): Promise<GeoBlockStatus> =>
      (await router.api("GET", `${PATH}/status`)).json;
    const put = async (path: string, body?: unknown): Promise<string> => {
      const answer = await router.api("PUT", `${PATH}${path}`, body === undefined ? {} : { body });
      assert.equal(answer.status, 200, answer.text);
      return answer.headers.get("change-id") ?? "";
    };
    const inKernel = async (): Promise<number> => {
      const text = await lab.must("router", "nft", ["list", "table", "inet", "geo_block"]);
      return text.match(/ : jump s/g)?.length ?? 0;
    };
    let blocking = "";

    await t.step(
      "a country that is blocked is not reached, others are, and a connection ends",
      async () => {
        assert.deepEqual([await reaches(INTERNET), await reaches(ELSEWHERE)], [true, true]);
        const held = await lab.hold("a", INTERNET);
        const ofSix = [
          await lab.hold("router", SIX.blocked),
          await lab.hold("router", SIX.elsewhere),
        ];
        await put("/config", { Enabled: true });
        assert.equal(await reaches(INTERNET), true);
        blocking = await put("/country/nz");
        assert.equal(await held.breaks(), true, "the running connection was cut");
        assert.deepEqual(
          await Promise.all(ofSix.map((one) => one.breaks())),
          [true, false],
          "by IPv6 as well",
        );
        for (const one of [held, ...ofSix]) await one.close();
        assert.deepEqual([await reaches(INTERNET), await reaches(ELSEWHERE)], [false, true]);
      },
    );

    await t.step("by IPv6 as well, in both directions", async () => {
      const ping = async (part: "router" | "wan", args: readonly string[]) =>
        (await lab.exec(part, "ping", ["-6", "-c", "1", "-W", "1", ...args])).ok;
      const packets = async () => (await status()).Sources.find(({ Key }) => Key === "NZ")!.Packets;
      assert.equal(await ping("router", [SIX.elsewhere]), true);
      assert.equal(await ping("router", [SIX.blocked]), false);
      const before = await packets();
      await ping("wan", ["-I", SIX.blocked, SIX.router]);
      await lab.exec("wan", "ping", ["-c", "1", "-W", "1", "-I", INTERNET, UPLINK]);
      // The connection that was cut may still send again.
      assert.ok(await packets() >= before + 2, "what comes from there is dropped and counted");
    });

    await t.step("the status is what the kernel has, and reach knows why", async () => {
      const { Enabled, RangesProgrammed, Sources, Error } = await status();
      assert.deepEqual([Enabled, Error], [true, ""]);
      await eventually(
        "it is counted",
        async () => (await status()).RangesProgrammed === await inKernel(),
      );
      assert.ok(RangesProgrammed > 0);
      assert.ok(Sources[0]!.Packets > 0);
      const query = `from=${a.IP}&to=${INTERNET}&protocol=tcp&port=80`;
      const { verdict, reason } = (await router.api("GET", `/reach?${query}`)).json;
      assert.deepEqual([verdict, /New Zealand/.test(reason)], ["drop", true], reason);
      const other = (await router.api("GET", `/reach?${query.replace(INTERNET, ELSEWHERE)}`)).json;
      assert.equal(other.verdict, "accept");
    });

    await t.step("ranges are replaced while traffic flows, which goes on", async () => {
      const held = await lab.hold("a", ELSEWHERE);
      for (const code of ["DE", "FR", "AU"]) {
        await put(`/country/${code}`);
        assert.deepEqual([await reaches(INTERNET), await reaches(ELSEWHERE)], [false, true]);
      }
      assert.equal(await held.breaks(), false);
      await held.close();
    });

    await t.step(
      "a table that somebody deletes is missing in the status, and comes back",
      async () => {
        await lab.must("router", "nft", ["delete", "table", "inet", "geo_block"]);
        assert.equal((await status()).RangesProgrammed, 0);
        assert.notEqual((await status()).Error, "");
        await put("/refresh");
        assert.equal((await status()).RangesProgrammed, await inKernel());
        assert.equal(await reaches(INTERNET), false);
      },
    );

    await t.step("it holds while netd is killed, and is known afterwards", async () => {
      const pids = await pidsOf(lab, "netd");
      for (const pid of pids) Deno.kill(pid, "SIGKILL");
      assert.equal(await reaches(INTERNET), false);
      await eventually("netd runs anew and knows the ranges", async () => {
        const now = await pidsOf(lab, "netd");
        const { RangesProgrammed, Error } = await status();
        return now.length === 1 && !pids.includes(now[0]!) && Error === "" &&
          RangesProgrammed === await inKernel();
      });
      assert.deepEqual([await reaches(INTERNET), await reaches(ELSEWHERE)], [false, true]);
    });

    await t.step("the next boot blocks the same, by a file that is checked", async () => {
      const file = `${router.home}/state/net/blocked.nft`;
      await lab.must("router", "nft", ["delete", "table", "inet", "geo_block"]);
      assert.equal(await reaches(INTERNET), true);
      await lab.must("router", "sh", [SCRIPT, file]);
      assert.equal(await reaches(INTERNET), false);
    });

    await t.step("undo gives back what the change took", async () => {
      const undone = await router.api("PUT", `/changes/${blocking}/undo`);
      assert.equal(undone.status, 200, undone.text);
      await eventually("it is reached again", () => reaches(INTERNET));
      await put("/config", { Enabled: false });
      const tables = await lab.must("router", "nft", ["list", "tables"]);
      assert.doesNotMatch(tables, /geo_block/);
    });
  });
});
