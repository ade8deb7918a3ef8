import assert from "node:assert/strict";
import { fakeTools } from "../../kit/fakes/fake_tools.ts";
import { INTERNET } from "../../kit/lab/lab.ts";
import { type Bed, eventually, give, withBed } from "../../kit/lab/bed.ts";
import { pidsOf } from "../../kit/lab/pids.ts";
import { closedFolder } from "../../kit/process.ts";

const reaches = async ({ lab }: Bed, from: string): Promise<boolean> =>
  await lab.tcp(from, INTERNET, 80) === "open";

/** What is stored, shown and in the kernel of whether a client may reach the Internet. */
async function assertWan(bed: Bed, index: number, may: boolean, why: string): Promise<void> {
  const { name, mac } = bed.clients[index]!;
  const shown = (await bed.router.api("GET", "/devices")).json[mac].Policies.includes("wan");
  const text = await Deno.readTextFile(`${bed.router.home}/configs/devices/devices.json`);
  const stored = JSON.parse(text)[mac].Policies.includes("wan");
  const kernel = await reaches(bed, name);
  assert.deepEqual({ shown, stored, kernel }, { shown: may, stored: may, kernel: may }, why);
}

const put = (bed: Bed, index: number, policies: readonly string[]) =>
  bed.router.api("PUT", `/device?identity=${bed.clients[index]!.mac}`, {
    body: { Policies: policies },
  });

const state = async (bed: Bed): Promise<string> =>
  (await bed.router.api("GET", "/network")).json.state;

const open = async (bed: Bed): Promise<readonly string[]> =>
  (await bed.router.api("GET", "/notices")).json.items.map((one: { kind: string }) => one.kind);

Deno.test("a change that fails keeps the old state, whatever fails of it", async (t) => {
  await using tools = await fakeTools();
  await withBed({ name: "failure", leases: 2, router: { covers: tools.covers } }, async (bed) => {
    await give(bed.router, bed.clients[0]!.mac, { Policies: ["wan"] });

    await t.step(
      "a change that nft refuses keeps the old state, and returns nft's error",
      async () => {
        await tools.refuse("nft", "Error: Could not process rule: Cannot allocate memory");
        const answer = await put(bed, 1, ["wan"]);
        assert.equal(answer.status, 502);
        assert.match(answer.text, /nftables refused: .*Cannot allocate memory/);
        // The way back is refused as well: neither state may be claimed.
        assert.equal(await state(bed), "broken");
        assert.match(
          (await bed.router.api("GET", "/network")).json.detail,
          /Cannot allocate memory/,
        );
        await eventually(
          "it is reported",
          async () => (await open(bed)).includes("network-broken"),
        );
        await tools.refuse("nft", null);
        await eventually("the old state stands again", async () => await state(bed) === "applied");
        await eventually("it is over", async () => !(await open(bed)).includes("network-broken"));
        await assertWan(bed, 1, false, "the refused change");
        await assertWan(bed, 0, true, "what was there before");
        assert.equal((await put(bed, 1, ["wan"])).status, 200);
        await assertWan(bed, 1, true, "the same change later");
      },
    );

    await t.step("an nft that hangs is killed, and the old state remains", async () => {
      await give(bed.router, bed.clients[1]!.mac, { Policies: [] });
      await tools.hangOnce("nft");
      const answer = await put(bed, 1, ["wan"]);
      assert.equal(answer.status, 502);
      assert.match(answer.text, /nft did not end within \d+ seconds and was stopped/);
      assert.equal(await state(bed), "applied");
      await assertWan(bed, 1, false, "the change that hung");
      await assertWan(bed, 0, true, "what was there before");
      assert.equal((await put(bed, 1, ["wan"])).status, 200);
    });

    await t.step(
      "netd killed during a change is restarted, and the old state remains",
      async () => {
        await give(bed.router, bed.clients[1]!.mac, { Policies: [] });
        await tools.hangOnce("nft");
        const answer = put(bed, 1, ["wan"]);
        await eventually("nft hangs", () => tools.hangs("nft"));
        const [first] = await pidsOf(bed.lab, "netd");
        Deno.kill(first!, "SIGKILL");
        const { status, text } = await answer;
        assert.equal(status, 502, text);
        await eventually("it is applied", async () => await state(bed) === "applied");
        const [second] = await pidsOf(bed.lab, "netd");
        assert.notEqual(second, first);
        await assertWan(bed, 1, false, "the change under way");
        await assertWan(bed, 0, true, "what was there before");
        assert.equal((await put(bed, 1, ["wan"])).status, 200);
        await assertWan(bed, 1, true, "the same change later");
      },
    );

    await t.step("the api killed during a change restarts with the old state", async () => {
      await give(bed.router, bed.clients[1]!.mac, { Policies: [] });
      const held = await bed.lab.hold("a", INTERNET);
      await tools.hangOnce("nft");
      const answer = put(bed, 1, ["wan"]).catch(() => null);
      await eventually("nft hangs", () => tools.hangs("nft"));
      for (const pid of await pidsOf(bed.lab, "api")) Deno.kill(pid, "SIGKILL");
      assert.notEqual((await answer)?.status, 200);
      await eventually(
        "the api is back and applied",
        () => state(bed).then((now) => now === "applied", () => false),
      );
      await assertWan(bed, 1, false, "the change that nobody was notified of");
      await assertWan(bed, 0, true, "what was there before");
      assert.equal(held.alive, true, "an allowed connection goes on all the while");
      await held.close();
    });

    await t.step("a change that the kernel refuses halfway is rolled back", async () => {
      await give(bed.router, bed.clients[1]!.mac, { Policies: [] });
      const { lab, router } = bed;
      const b = bed.clients[1]!;
      const elsewhere = { ...b, link: lab.clients[2]!.link };
      const address = b.RouterIP;
      const kept = async (): Promise<readonly string[]> => [
        await lab.must("router", "ip", ["-o", "-4", "address", "show", "to", `${address}/32`]),
        await lab.must("router", "ip", ["neighbour", "show", "nud", "permanent", "dev", b.link]),
      ];
      // With a link's last address its neighbours go.
      await lab.must("router", "ip", ["address", "add", "10.99.0.1/30", "dev", b.link]);
      const before = await kept();
      const moves = async (): Promise<string> => {
        // Somebody else takes the address away, so that it cannot be taken from the old link.
        await lab.must("router", "ip", ["address", "delete", `${address}/30`, "dev", b.link]);
        return await router.lease(elsewhere).then(() => "", String);
      };
      // Now and then the router has noticed before, and put the address back.
      let log = await moves();
      for (let left = 10; log === "" && left > 0; left--) {
        await router.lease(b);
        log = await moves();
      }
      assert.match(log, /502.*The kernel refused .{1,2}address delete .*Address not found/);
      assert.equal(await state(bed), "applied");
      assert.deepEqual(await kept(), before);
      assert.equal((await router.api("GET", "/ip/interfaces")).json[b.IP], b.link);
      assert.equal((await router.lease(elsewhere)).RouterIP, address, "the same later");
      assert.equal((await router.api("GET", "/ip/interfaces")).json[b.IP], elsewhere.link);
    });
  });
});

Deno.test("on a full disk a change is refused and the old state remains", async () => {
  const { folder: home, remove } = await closedFolder("sluice-full-");
  const mount = async (...args: readonly string[]): Promise<void> => {
    const { success, stderr } = await new Deno.Command(args[0]!, { args: [...args.slice(1)] })
      .output();
    assert.ok(success, new TextDecoder().decode(stderr));
  };
  await mount("mount", "-t", "tmpfs", "-o", "size=16m", "none", home);
  try {
    await withBed({ name: "full", leases: 2, router: { home } }, async (bed) => {
      await give(bed.router, bed.clients[0]!.mac, { Policies: ["wan"] });
      await new Deno.Command("dd", {
        args: ["if=/dev/zero", `of=${home}/ballast`, "bs=4k"],
        stderr: "null",
      }).output();
      const answer = await put(bed, 1, ["wan"]);
      assert.ok(answer.status >= 500, `${answer.status} ${answer.text}`);
      assert.match(answer.text, /full|space|disk/i);
      assert.doesNotMatch(answer.text, /insert into|params/, "no query, no values");
      await Deno.remove(`${home}/ballast`);
      assert.equal(await state(bed), "applied");
      await assertWan(bed, 1, false, "the change that did not fit");
      await assertWan(bed, 0, true, "what was there before");
      assert.equal((await put(bed, 1, ["wan"])).status, 200);
      await assertWan(bed, 1, true, "once there is room");
    });
  } finally {
    await mount("umount", home);
    await remove();
  }
});

/** Processes of one name that belong to this bed's home. */
