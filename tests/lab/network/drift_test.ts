import assert from "node:assert/strict";
import { INTERNET } from "../../kit/lab/lab.ts";
import { type Bed, eventually, give, withBed } from "../../kit/lab/bed.ts";

interface Found {
  readonly what: string;
  readonly expected: string | null;
  readonly found: string | null;
}

const drift = async (bed: Bed): Promise<readonly Found[]> =>
  (await bed.router.api("GET", "/network")).json.drift;

const kinds = async (bed: Bed): Promise<readonly string[]> =>
  (await bed.router.api("GET", "/notices")).json.items.map((one: { kind: string }) => one.kind);

const inRouter = (bed: Bed, line: string): Promise<string> => {
  const [name = "", ...args] = line.split(" ");
  return bed.lab.must("router", name, args);
};

const reaches = async (bed: Bed, from: string): Promise<boolean> =>
  await bed.lab.tcp(from, INTERNET, 80) === "open";

Deno.test("what others change in the kernel is found, reported, and put right", async (t) => {
  await withBed({ name: "drift", lab: { clients: 2 } }, async (bed) => {
    const { router, lab } = bed;
    const [a, b] = [bed.clients[0]!, bed.clients[1]!];
    await give(router, a.mac, { Policies: ["wan"] });
    await eventually("it is quiet", async () => (await drift(bed)).length === 0);

    await t.step(
      "an element that is gone waits as a notice, and a repair brings it back",
      async () => {
        await inRouter(
          bed,
          `nft delete element inet filter internet_access { ${a.IP} . ${a.link} }`,
        );
        await eventually("it is found", async () => (await drift(bed)).length > 0);
        assert.deepEqual(
          (await drift(bed)).map(({ what, expected, found }) => [
            ...[what, expected, found],
          ]),
          [["map inet filter internet_access", `${a.IP} . "${a.link}" : accept`, null]],
        );
        await eventually("it is reported", async () => (await kinds(bed)).includes("drift"));
        assert.equal(await reaches(bed, "a"), false);
        const repaired = await router.api("PUT", "/network/repair");
        assert.equal(repaired.status, 200, repaired.text);
        assert.deepEqual(repaired.json.drift, []);
        assert.equal(await reaches(bed, "a"), true);
        await eventually("it is over", async () => !(await kinds(bed)).includes("drift"));
      },
    );

    await t.step("a revocation succeeds although someone took the element before", async () => {
      await inRouter(bed, `nft delete element inet filter internet_access { ${a.IP} . ${a.link} }`);
      await give(router, a.mac, { Policies: [] });
      assert.equal(await reaches(bed, "a"), false);
      await give(router, a.mac, { Policies: ["wan"] });
      assert.equal(await reaches(bed, "a"), true);
    });

    const opened = async (what: string, meddle: () => Promise<unknown>): Promise<void> => {
      await meddle();
      await eventually(
        `${what}: closed`,
        async () =>
          !await reaches(bed, "b") && !await lab.ping("b", a.IP) &&
          (await drift(bed)).length === 0,
      );
      await eventually(
        `${what}: it is reported`,
        async () => (await kinds(bed)).includes("drift-repaired"),
      );
      // What only closed more, such as an emptied chain, may not have been found yet.
      await eventually(`${what}: what is allowed is so again`, () => reaches(bed, "a"));
    };

    await t.step(
      "an element too many, a rule more, a flushed chain, a table less are put right",
      async () => {
        const table = "inet filter";
        await opened("an element", () =>
          inRouter(
            bed,
            `nft add element ${table} internet_access { ${b.IP} . ${b.link} : accept }`,
          ));
        await opened("a rule", () => inRouter(bed, `nft insert rule ${table} FORWARD accept`));
        await opened("a chain", () => inRouter(bed, `nft flush chain ${table} FORWARD`));
        await opened(
          "a policy",
          () => inRouter(bed, `nft add chain ${table} FORWARD { policy accept ; }`),
        );
        await opened("a table", () => inRouter(bed, `nft delete table ${table}`));
        await opened("all", () => inRouter(bed, "nft flush ruleset"));
      },
    );

    await t.step("forwarding that was switched off waits; a link that flapped heals", async () => {
      await inRouter(bed, "sysctl -q -w net.ipv4.ip_forward=0");
      await inRouter(bed, `ip link set ${a.link} down`);
      await eventually("both are found", async () => {
        const all = await drift(bed);
        return all.some(({ what }) => what === "net.ipv4.ip_forward") &&
          all.some(({ what, found }) => what === `link ${a.link}` && found === "down");
      });
      await inRouter(bed, `ip link set ${a.link} up`);
      await eventually(
        "the fixed neighbour is back",
        async () => (await inRouter(bed, "ip neigh show nud permanent")).includes(a.IP),
      );
      assert.equal((await router.api("PUT", "/network/repair")).json.drift.length, 0);
      assert.equal(await reaches(bed, "a"), true);
    });

    await t.step("an address that is gone waits, and a repair brings it back", async () => {
      await inRouter(bed, `ip address del ${a.RouterIP}/30 dev ${a.link}`);
      await eventually(
        "it is found",
        async () => (await drift(bed)).some(({ what }) => what === `address on ${a.link}`),
      );
      await router.api("PUT", "/network/repair");
      assert.deepEqual(await drift(bed), []);
      assert.equal(await reaches(bed, "a"), true);
    });

    await t.step("a fixed neighbour that is gone is put back by itself", async () => {
      await inRouter(bed, `ip neigh del ${b.IP} dev ${b.link}`);
      await eventually(
        "it is back",
        async () => (await inRouter(bed, "ip neigh show nud permanent")).includes(b.IP),
      );
    });

    await t.step(
      "other programs' tables are no drift, but are shown where they filter",
      async () => {
        await lab.must(
          "router",
          "nft",
          ["-f", "-"],
          "table ip other {\n chain guard {\n" +
            "  type filter hook forward priority 5; policy accept;\n  counter\n }\n}\n",
        );
        await eventually(
          "it is shown",
          async () => (await router.api("GET", "/network")).json.foreign.length === 1,
        );
        const { foreign, drift } = (await router.api("GET", "/network")).json;
        assert.deepEqual([foreign[0].table, foreign[0].hook, foreign[0].rules], [
          "other",
          "forward",
          1,
        ]);
        assert.deepEqual(drift, []);
      },
    );
  });
});
