import assert from "node:assert/strict";
import { eventually, give, withBed } from "../kit/lab_bed.ts";
import type { Lab } from "../kit/lab.ts";
import type { LabProcess } from "../kit/lab_command.ts";

const MDNS = ["224.0.0.251", "5353"] as const, SSDP = ["239.255.255.250", "1900"] as const;
const SCRIPT = new URL("../kit/lab_multicast.ts", import.meta.url).pathname;
const RUN = ["run", "-q", "-A", SCRIPT];

type Group = typeof MDNS | typeof SSDP;

async function listen(
  lab: Lab,
  part: string,
  group: Group,
  what = "hear",
): Promise<LabProcess> {
  const process = lab.spawn(part, Deno.execPath(), [...RUN, ...group, what]);
  await process.line(/^ready$/);
  return process;
}

function say(lab: Lab, part: string, group: Group, ...words: string[]): Promise<string> {
  return lab.must(part, Deno.execPath(), [...RUN, ...group, "say", ...words]);
}

const rest = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const count = (process: LabProcess, text: string): number =>
  process.output.split("\n").filter((row) => row.includes(text)).length;

Deno.test("multicast passes between clients where it is chosen, and nowhere else", async (t) => {
  await withBed({ name: "mcast", router: { services: "multicastd" } }, async (bed) => {
    const { lab, router, clients } = bed;
    const [a, b, c] = clients;
    assert.ok(a && b && c);
    const settings = async (change: Readonly<Record<string, unknown>>) => {
      const before = (await router.api("GET", "/multicastSettings")).json;
      const body = { ...before, ...change };
      const answer = await router.api("PUT", "/multicastSettings", { body });
      assert.equal(answer.status, 200, answer.text);
      await rest(1500); // the relay is told within half a second, and looks four times a second
    };
    const port = async (method: string, Port: string) => {
      const body = { Port, Upstream: false };
      assert.equal((await router.api(method, "/firewall/multicast", { body })).status, 200);
    };
    const outside = lab.spawn("wan", "tcpdump", [
      ...["-lnni", "wan0", "udp", "port", "5353", "or", "udp", "port", "1900", "or", "igmp"],
    ]);
    const finder = await listen(lab, "a", MDNS);
    const other = await listen(lab, "c", MDNS);
    await listen(lab, "b", MDNS, "printer");
    const found = (): number => count(finder, `${b.IP} _ipp._tcp.local is office printer`);
    const look = async (): Promise<void> => {
      await say(lab, "a", MDNS, "_ipp._tcp.local");
      await rest(1500);
    };

    await t.step("a closed port keeps a printer unfound", async () => {
      await look();
      assert.equal(found(), 0);
      assert.equal(count(other, "asks _ipp"), 0);
    });

    await t.step("an open port lets it be found, with its own address and once", async () => {
      await port("PUT", "5353");
      await eventually("the printer is found", async () => {
        await look();
        return found() > 0;
      });
      const before = found();
      await rest(1000);
      await look();
      assert.equal(found(), before + 1);
      assert.ok(count(other, `${a.IP} asks _ipp._tcp.local`) > 0);
    });

    await t.step("who spoke is told", async () => {
      await eventually("it was heard", async () => {
        const { items } = (await router.api("GET", "/multicast/heard")).json;
        return items.some((one: { source: string; identity: string; services: string[] }) =>
          one.source === b.IP && one.identity === b.mac && one.services.includes("_ipp._tcp")
        );
      });
    });

    await t.step("the router answers for its own name", async () => {
      await settings({ MDNSName: "sluice-lab" });
      await eventually("its name is told", async () => {
        await say(lab, "a", MDNS, "sluice-lab.local");
        await rest(1200);
        return count(finder, `${a.RouterIP} sluice-lab.local is`) > 0;
      });
    });

    await t.step("a disabled address keeps it unfound", async () => {
      const { Addresses } = (await router.api("GET", "/multicastSettings")).json;
      const off = Addresses.map((one: { Address: string }) => ({
        ...one,
        Disabled: one.Address.endsWith(":5353"),
      }));
      await settings({ Addresses: off });
      const before = found();
      await look();
      assert.equal(found(), before);
      await settings({ Addresses });
      await look();
      assert.equal(found(), before + 1);
    });

    const searched = await listen(lab, "b", SSDP);
    const third = await listen(lab, "c", SSDP);

    await t.step("SSDP likewise, once each, and no flood", async () => {
      await say(lab, "a", SSDP, "M-SEARCH closed");
      await rest(1000);
      assert.equal(count(searched, "closed"), 0);
      await port("PUT", "1900");
      await rest(500);
      await say(lab, "a", SSDP, "M-SEARCH open");
      await eventually("it is heard", () => Promise.resolve(count(searched, "open") > 0));
      await rest(1000);
      assert.equal(count(searched, `${a.IP} M-SEARCH open`), 1);
      assert.equal(count(third, `${a.IP} M-SEARCH open`), 1);
      await say(lab, "a", SSDP, "flood %", "1000");
      await rest(1500);
      const passed = count(searched, "flood");
      assert.ok(passed >= 50 && passed < 500, `${passed} of 1000 passed`);
      await rest(2500);
    });

    await t.step("the same datagram over and over passes once a second", async () => {
      await say(lab, "a", SSDP, "again", "20", "20");
      await rest(500);
      const passed = count(searched, `${a.IP} again`);
      assert.ok(passed >= 1 && passed <= 3, `${passed} of 20 passed`);
    });

    await t.step("tags choose who is told", async () => {
      await give(router, c.mac, { DeviceTags: ["media"] });
      const { Addresses } = (await router.api("GET", "/multicastSettings")).json;
      const tagged = Addresses.map((one: unknown) => ({ ...one as object, Tags: ["media"] }));
      await settings({ Addresses: tagged });
      await say(lab, "a", SSDP, "tagged");
      await eventually("it is heard", () => Promise.resolve(count(third, "tagged") > 0));
      await rest(500);
      assert.equal(count(searched, "tagged"), 0);
    });

    await t.step("nothing of it was ever seen on the uplink", () => {
      assert.match(outside.output, /listening on wan0/);
      assert.doesNotMatch(outside.output, /^\d\d:\d\d:/m);
    });
  });
});
