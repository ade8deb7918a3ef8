import assert from "node:assert/strict";
import { UPLINK } from "../../kit/lab/lab.ts";
import { eventually } from "../../kit/lab/bed.ts";
import type { LabRouter } from "../../kit/lab/router.ts";
import { programsIn } from "../../kit/lab/pids.ts";
import { MACHINES, withUplinks } from "../../kit/lab/uplinks.ts";

async function reason(router: LabRouter, name: string): Promise<string> {
  const all = (await router.api("GET", "/wan/status")).json as { Iface: string; Reason: string }[];
  return all.find(({ Iface }) => Iface === name)!.Reason;
}

async function settles(router: LabRouter, name: string, wanted = ""): Promise<void> {
  let last = "";
  await eventually(`${name} is ${wanted || "up"}`, async () => {
    last = await reason(router, name);
    return last === wanted;
  }).catch((error) => {
    throw new Error(`${error.message}; it is "${last}"`);
  });
}

async function notices(router: LabRouter): Promise<readonly string[]> {
  const { items } = (await router.api("GET", "/notices")).json;
  return items.map(({ detail }: { detail: string }) => detail);
}

/** A program that stands in for a tool. */
async function fake(text: string): Promise<string> {
  const path = await Deno.makeTempFile({ prefix: "sluice-fake-" });
  await Deno.writeTextFile(path, `#!/bin/sh\n${text}\n`);
  await Deno.chmod(path, 0o755);
  return path;
}

Deno.test("an uplink by DHCP follows its provider, its cable and its interface", (t) =>
  withUplinks({ name: "follow" }, async ({ lab, router, plug, provide, seen }) => {
    const replug = async (): Promise<void> => {
      await plug("wan1", false);
      await settles(router, "wan1", "no cable is connected");
      await plug("wan1", true);
    };

    await t.step("a carrier loss between two checks restarts the DHCP client", async () => {
      await settles(router, "wan1");
      const clients = () => programsIn(lab, "udhcpc");
      const [before, ...others] = await clients();
      assert.ok(before !== undefined && others.length === 0);
      await lab.must("wan", "ip", ["-batch", "-"], "link set wan1 down\nlink set wan1 up\n");
      await eventually("another client asks", async () => {
        const now = await clients();
        return now.length === 1 && now[0] !== before;
      });
      await settles(router, "wan1");
      const outages = (await router.api("GET", "/wan/outages")).json as {
        readonly Iface: string;
        readonly Reason: string;
      }[];
      // A look may fall into the moment without a carrier; what else is needed was there all the time.
      const wrong = outages.filter(({ Iface, Reason }) =>
        Iface === "wan1" && Reason !== "no cable is connected"
      );
      assert.deepEqual(wrong, []);
    });

    await t.step("a lease survives restarts of uplinkd and of the api", async () => {
      await settles(router, "wan1");
      const address = async (): Promise<string> =>
        /inet (100\.64\.5\.\S+)/.exec(
          await lab.must("router", "ip", ["-4", "address", "show", "dev", "wan1"]),
        )?.[1] ?? "none";
      const leased = await address();
      await router.stop("SIGKILL");
      assert.equal(await address(), leased);
      await router.start();
      assert.equal(await address(), leased);
      await settles(router, "wan1");
      assert.equal(await address(), leased);
    });

    await t.step("a renewed lease updates gateway, routes and MTU", async () => {
      const shown = async (): Promise<readonly [string, readonly string[]]> => {
        const card = await lab.must("router", "ip", ["-o", "link", "show", "dev", "wan1"]);
        const routes = await lab.must("router", "ip", ["route", "show", "dev", "wan1"]);
        return [
          / mtu (\d+) /.exec(card)![1]!,
          routes.split("\n").filter((one) => one.includes("via")).map((one) => one.trim()).sort(),
        ];
      };
      const own = async (): Promise<string> =>
        // The table is not there before its first route.
        (await lab.exec("router", "ip", ["route", "show", "table", "201"])).stdout;
      const follows = async (
        what: string,
        mtu: string,
        routes: readonly RegExp[],
        gate: RegExp,
      ) => {
        let last: unknown;
        await eventually(what, async () => {
          const [size, list] = await shown();
          const gateway = await own();
          last = [size, list, gateway];
          return size === mtu && list.length === routes.length && gate.test(gateway) &&
            routes.every((one, at) => one.test(list[at]!));
        }).catch((error) => {
          throw new Error(`${error.message}; there is ${JSON.stringify(last)}`);
        });
      };
      await follows("the first lease", "1400", [], /^default via 100\.64\.5\.1 /);
      await provide([
        ...["--dhcp-option=26,1300", "--dhcp-option=15,isp.example", "--dhcp-option=3,100.64.5.9"],
        "--dhcp-option=121,0.0.0.0/0,100.64.5.1,172.16.0.0/12,100.64.5.2",
      ]);
      await replug();
      await follows("classless routes", "1300", [/^172\.16\.0\.0\/12 via 100\.64\.5\.2/], /5\.1 /);
      const all = (await router.api("GET", "/wan/status")).json as {
        readonly Iface: string;
        readonly Search: readonly string[];
      }[];
      assert.deepEqual(all.find(({ Iface }) => Iface === "wan1")?.Search, ["isp.example"]);
      await provide([]);
      await replug();
      await follows("the link's own size, no further network", "1500", [], /5\.1 /);
      const { drift } = (await router.api("GET", "/network")).json;
      assert.deepEqual(drift, []);
    });

    await t.step(
      "a gateway outside the leased network is not used, and opens a notice",
      async () => {
        await provide(["--dhcp-option=3,198.51.100.1"]);
        await replug();
        await settles(router, "wan1", "it has no gateway");
        await eventually(
          "a notice",
          async () =>
            (await notices(router)).some((text) => /198\.51\.100\.1, which is outside/.test(text)),
        );
        assert.equal((await router.api("GET", "/network")).json.state, "applied");
      },
    );

    await t.step("a broadcast address as gateway is not used, and opens a notice", async () => {
      await provide(["--dhcp-option=3,100.64.5.255"]);
      await replug();
      await settles(router, "wan1", "it has no gateway");
      await eventually(
        "a notice",
        async () =>
          (await notices(router)).some((text) => /with the gateway 100\.64\.5\.255/.test(text)),
      );
      await settles(router, "wan0");
      const { drift, state } = (await router.api("GET", "/network")).json;
      assert.deepEqual([state, drift], ["applied", []]);
    });

    await t.step("a /32 with a gateway outside of it works", async () => {
      await provide(["--dhcp-option=26,1400", "--dhcp-option=1,255.255.255.255"]);
      await replug();
      await settles(router, "wan1");
      const shown = await lab.must("router", "ip", ["-o", "address", "show", "dev", "wan1"]);
      const address = /inet (100\.64\.5\.\d+)\/32/.exec(shown)?.[1];
      assert.ok(address !== undefined, shown);
      await eventually("both are used", async () => {
        const all = await Promise.all(MACHINES.map((machine) => seen(machine)));
        return [...new Set(all)].sort().join() === [address, UPLINK].sort().join();
      });
      await plug("wan0", false);
      await eventually("it alone is used", async () => {
        const all = await Promise.all(MACHINES.map((machine) => seen(machine)));
        return [...new Set(all)].join() === address;
      });
      const { drift, state } = (await router.api("GET", "/network")).json;
      assert.deepEqual([state, drift], ["applied", []]);
      await plug("wan0", true);
      await settles(router, "wan0");
    });

    await t.step(
      "an uplink that is renamed, removed or appears late recovers by itself",
      async () => {
        const ip = (...args: readonly string[]): Promise<string> => lab.must("router", "ip", args);
        // The kernel may tell a second late that a new link has its cable.
        await settles(router, "wan0");
        await settles(router, "wan1");
        await ip("link", "set", "wan1", "down");
        await ip("link", "set", "wan1", "name", "spare0");
        await settles(router, "wan1", "the interface is missing");
        await settles(router, "wan0");
        await ip("link", "set", "spare0", "name", "wan1");
        await settles(router, "wan1");
        await ip("link", "delete", "wan1");
        await settles(router, "wan1", "the interface is missing");
        const ends = [
          "link",
          "add",
          "wan1",
          "type",
          "veth",
          "peer",
          "wan1",
          "netns",
          lab.space("wan"),
        ];
        await ip(...ends);
        await lab.must("wan", "ip", ["address", "add", "100.64.5.1/24", "dev", "wan1"]);
        await lab.must("wan", "ip", ["link", "set", "wan1", "up"]);
        await settles(router, "wan1");
        // What the kernel has is read back once a second.
        await eventually("nothing differs any more", async () => {
          const { drift, state } = (await router.api("GET", "/network")).json;
          return state === "applied" && drift.length === 0;
        });
      },
    );

    await t.step(
      "with a random MAC address an uplink gets a new lease, and drops the old one",
      async () => {
        await settles(router, "wan1");
        const shown = async (): Promise<readonly string[]> => {
          const text = await lab.must("router", "ip", ["-o", "address", "show", "dev", "wan1"]);
          return [...text.matchAll(/inet (\S+)/g)].map(([, address]) => address!);
        };
        const card = async (): Promise<string> =>
          /link\/ether (\S+)/.exec(
            await lab.must("router", "ip", ["-o", "link", "show", "dev", "wan1"]),
          )![1]!;
        const [before, own] = [await shown(), await card()];
        const body = { Name: "wan1", MACRandomize: true, MACCloak: true };
        assert.equal((await router.api("PUT", "/link/config", { body })).status, 200);
        assert.notEqual(await card(), own);
        await eventually("another lease", async () => {
          const now = await shown();
          return now.length === 1 && now[0] !== before[0];
        });
        await settles(router, "wan1");
        const routes = await lab.must("router", "ip", ["route", "show", "table", "201"]);
        assert.match(routes, /default via 100\.64\.5\.1 dev wan1/);
      },
    );
  }));

Deno.test("a DHCP client with malformed output that does not end is reported, and blocks nothing", async () => {
  const udhcpc = await fake("trap '' TERM\necho 'lease: $(reboot)'\nwhile :; do sleep 1; done");
  try {
    const covers = { "/usr/sbin/udhcpc": udhcpc };
    await withUplinks({ name: "bad", covers }, async ({ router }) => {
      await eventually(
        "a notice",
        async () =>
          (await notices(router)).some((text) =>
            /^wan1: Unexpected output of the DHCP client/.test(text)
          ),
      );
      await settles(router, "wan1", "it has no IP address");
      await settles(router, "wan0");
      assert.equal(await router.process.stop(), 0, "it ends all the same");
    });
  } finally {
    await Deno.remove(udhcpc);
  }
});

Deno.test("a PPPoE account connects, outlives uplinkd, and disconnects when it is removed", async () => {
  // It goes on by itself under its own name and arguments, as pppd does.
  const pppd = await fake("(while :; do sleep 0.2; done) </dev/null >/dev/null 2>&1 &");
  try {
    const covers = { "/usr/sbin/pppd": pppd };
    await withUplinks({ name: "ppp", covers }, async (bed) => {
      const { lab, router } = bed;
      const dialled = async (): Promise<readonly string[]> =>
        (await lab.exec("router", "ps", ["-C", "pppd", "-o", "pid=,args="])).stdout
          .split("\n").filter((line) => line.includes(router.home)).map((line) => line.trim());
      const account = { Iface: "wan1", Enabled: true, Username: "me", Secret: "hunter22" };
      const set = await router.api("PUT", "/uplink/ppp", { body: account });
      assert.equal(set.status, 200, set.text);
      await eventually("it is dialled", async () => (await dialled()).length > 0);
      const [before] = await dialled();
      assert.doesNotMatch(before!, /hunter22/);
      const file = `${router.home}/state/uplink/ppp/peers/provider_wan1`;
      assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
      assert.match(await Deno.readTextFile(file), /\npassword "hunter22"\n/);
      // What pppd would make; the other end answers for every machine of the Internet.
      const ends = ["link", "add", "ppp0", "type", "veth", "peer", "ppp0", "netns"];
      await lab.must("router", "ip", [...ends, lab.space("wan")]);
      await lab.must("router", "ip", ["address", "add", "198.18.0.9/32", "dev", "ppp0"]);
      await lab.must("router", "ip", ["link", "set", "ppp0", "up"]);
      await lab.must("wan", "ip", ["link", "set", "ppp0", "up"]);
      await lab.must("wan", "ip", ["route", "add", "198.18.0.9/32", "dev", "ppp0"]);
      await settles(router, "wan1");
      await eventually("both are used", async () => {
        const seen = await Promise.all(MACHINES.map((machine) => bed.seen(machine)));
        return [...new Set(seen)].sort().join() === ["198.18.0.9", UPLINK].sort().join();
      });
      await router.stop();
      assert.deepEqual(await dialled(), [before], "it goes on without us");
      await router.start();
      await settles(router, "wan1");
      assert.deepEqual(await dialled(), [before], "and is taken over");
      assert.equal((await router.api("DELETE", "/uplink/ppp/wan1")).status, 200);
      await eventually("it is hung up", async () => (await dialled()).length === 0);
      await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
    });
  } finally {
    await Deno.remove(pppd);
  }
});

Deno.test("a PPPoE account follows its interface: late, renamed, removed and added again", async () => {
  const pppd = await fake("(while :; do sleep 0.2; done) </dev/null >/dev/null 2>&1 &");
  try {
    const covers = { "/usr/sbin/pppd": pppd };
    await withUplinks({ name: "moves", covers }, async ({ lab, router }) => {
      const ip = (...args: readonly string[]): Promise<string> => lab.must("router", "ip", args);
      const dialled = async (): Promise<readonly string[]> =>
        (await lab.exec("router", "ps", ["-ww", "-C", "pppd", "-o", "pid=,args="])).stdout
          .split("\n").filter((line) => line.includes(`${router.home}/`));
      const becomes = async (what: string, count: number): Promise<void> =>
        await eventually(what, async () => (await dialled()).length === count);
      await ip("link", "set", "wan1", "down");
      await ip("link", "set", "wan1", "name", "spare0");
      // A change that comes before that is noticed would be refused by the kernel.
      await settles(router, "wan1", "the interface is missing");
      const account = { Iface: "wan1", Enabled: true, Username: "me", Secret: "hunter22" };
      const set = await router.api("PUT", "/uplink/ppp", { body: account });
      assert.equal(set.status, 200, set.text);
      await settles(router, "wan1", "the interface is missing");
      assert.deepEqual(await dialled(), []);
      await ip("link", "set", "spare0", "name", "wan1");
      await becomes("it is dialled once its link is there", 1);
      const [first] = await dialled();
      await ip("link", "set", "wan1", "down");
      await ip("link", "set", "wan1", "name", "spare0");
      await becomes("it is hung up when its link has another name", 0);
      await ip("link", "set", "spare0", "name", "wan1");
      await becomes("it is dialled again", 1);
      const [second] = await dialled();
      assert.notEqual(second, first);
      await lab.must("wan", "ip", ["link", "set", "wan1", "down"]);
      await lab.must("wan", "ip", ["link", "set", "wan1", "up"]);
      await new Promise((go) => setTimeout(go, 1500));
      assert.deepEqual(await dialled(), [second], "a pulled cable is pppd's own to notice");
      await ip("link", "delete", "wan1");
      await becomes("it is hung up when its link is taken out", 0);
    });
  } finally {
    await Deno.remove(pppd);
  }
});
