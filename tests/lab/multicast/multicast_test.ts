import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";
import type { Lab } from "../../kit/lab/lab.ts";
import type { LabProcess } from "../../kit/lab/command.ts";

const MDNS = ["224.0.0.251", "5353"] as const, SSDP = ["239.255.255.250", "1900"] as const;
const SCRIPT = fileURLToPath(new URL("../../kit/programs/multicast.ts", import.meta.url));
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

/** A number once it has stood still for two seconds. */
async function settled(read: () => number): Promise<number> {
  for (let before = read();;) {
    await rest(2000);
    const now = read();
    if (now === before) return now;
    before = now;
  }
}

Deno.test("multicast is reflected between clients where it is enabled, and nowhere else", async (t) => {
  await withBed({ name: "mcast", router: { services: "multicastd" } }, async (bed) => {
    const { lab, router, clients } = bed;
    const [a, b, c] = clients;
    assert.ok(a && b && c);
    for (const { mac } of clients) await give(router, mac, { Policies: ["wan"] });
    const settings = async (change: Readonly<Record<string, unknown>>) => {
      const before = (await router.api("GET", "/multicastSettings")).json;
      const body = { ...before, ...change };
      const answer = await router.api("PUT", "/multicastSettings", { body });
      assert.equal(answer.status, 200, answer.text);
    };
    const port = async (method: string, Port: string) => {
      const body = { Port, Upstream: false };
      assert.equal((await router.api(method, "/firewall/multicast", { body })).status, 200);
    };
    const wanCapture = lab.spawn("wan", "tcpdump", [
      ...["-lnni", "wan0", "udp", "port", "5353", "or", "udp", "port", "1900", "or", "igmp"],
    ]);
    const finder = await listen(lab, "a", MDNS);
    const other = await listen(lab, "c", MDNS);
    await listen(lab, "b", MDNS, "printer");
    const found = (): number => count(finder, `${b.IP} _ipp._tcp.local is office printer`);
    /** Asks once; answers how often the printer is found by that. */
    const look = async (): Promise<number> => {
      // A question that was heard within the last second is not passed on.
      const before = await settled(found);
      await say(lab, "a", MDNS, "_ipp._tcp.local");
      return await settled(found) - before;
    };
    /** Says a text of its own each time until it holds of it, as it does once the relay was told. */
    const saying = async (
      what: string,
      text: string,
      holds: (text: string) => boolean | Promise<boolean>,
    ): Promise<string> => {
      let sent = "";
      for (let nth = 0; sent === ""; nth++) {
        if (nth === 20) throw new Error(`It never came to pass: ${what}`);
        await say(lab, "a", SSDP, `${text}-${nth}.`);
        await settled(() => count(third, `${text}-${nth}.`));
        if (await holds(`${text}-${nth}.`)) sent = `${text}-${nth}.`;
      }
      return sent;
    };

    await t.step("with the port closed a printer is not discovered", async () => {
      assert.equal(await look(), 0);
      assert.equal(count(other, "asks _ipp"), 0);
    });

    await t.step("with the port open it is discovered once, with its own address", async () => {
      await port("PUT", "5353");
      await eventually("the printer is found", async () => await look() > 0);
      assert.equal(await look(), 1);
      assert.ok(count(other, `${a.IP} asks _ipp._tcp.local`) > 0);
    });

    await t.step("the sender is listed as discovered", async () => {
      await eventually("it was received", async () => {
        const { items } = (await router.api("GET", "/multicast/discovered")).json;
        return items.some((one: { source: string; identity: string; services: string[] }) =>
          one.source === b.IP && one.identity === b.mac && one.services.includes("_ipp._tcp")
        );
      });
    });

    await t.step("the router responds for its own mDNS name", async () => {
      await settings({ MDNSName: "sluice-lab" });
      await eventually("its name is reported", async () => {
        await say(lab, "a", MDNS, "sluice-lab.local");
        await rest(1200);
        return count(finder, `${a.RouterIP} sluice-lab.local is`) > 0;
      });
    });

    await t.step("with the group disabled it is not discovered", async () => {
      const { Addresses } = (await router.api("GET", "/multicastSettings")).json;
      const off = Addresses.map((one: { Address: string }) => ({
        ...one,
        Disabled: one.Address.endsWith(":5353"),
      }));
      await settings({ Addresses: off });
      await eventually("it is not found any more", async () => await look() === 0);
      assert.equal(await look(), 0);
      await settings({ Addresses });
      await eventually("it is found again", async () => await look() === 1);
    });

    await t.step("a device in quarantine is not discovered until it is released", async () => {
      await give(router, b.mac, { Policies: ["wan", "quarantine"] });
      await eventually("it is not found any more", async () => await look() === 0);
      assert.equal(await look(), 0);
      await give(router, b.mac, { Policies: ["wan"] });
      await eventually("it is found again", async () => await look() === 1);
    });

    const searched = await listen(lab, "b", SSDP);
    const third = await listen(lab, "c", SSDP);

    await t.step("SSDP is reflected once each, without a flood", async () => {
      await say(lab, "a", SSDP, "M-SEARCH closed");
      await rest(1000);
      assert.equal(count(searched, "closed"), 0);
      await port("PUT", "1900");
      const sent = await saying(
        "it is received",
        "M-SEARCH open",
        (text) => count(third, text) > 0,
      );
      for (const one of [searched, third]) assert.equal(count(one, `${a.IP} ${sent}`), 1);
      const began = performance.now();
      await say(lab, "a", SSDP, "flood %", "1000");
      const passed = await settled(() => count(searched, "flood"));
      // A hundred at once, and fifty more each second that the sender took.
      const most = 110 + 50 * Math.ceil((performance.now() - began) / 1000);
      assert.ok(passed >= 50 && passed <= Math.min(most, 1000), `${passed} of 1000 passed`);
    });

    await t.step("a repeated datagram is reflected once a second", async () => {
      const began = performance.now();
      await say(lab, "a", SSDP, "again", "20", "20");
      const passed = await settled(() => count(searched, `${a.IP} again`));
      const most = 1 + Math.ceil((performance.now() - began) / 1000);
      assert.ok(passed >= 1 && passed <= most, `${passed} of 20 passed`);
    });

    await t.step("tags select the receiving interfaces", async () => {
      await give(router, c.mac, { DeviceTags: ["media"] });
      const { Addresses } = (await router.api("GET", "/multicastSettings")).json;
      const tagged = Addresses.map((one: unknown) => ({ ...one as object, Tags: ["media"] }));
      await settings({ Addresses: tagged });
      await saying(
        "only who has the tag hears it",
        "tagged",
        (text) => count(third, text) === 1 && count(searched, text) === 0,
      );
    });

    await t.step("no multicast was reflected to the uplink", () => {
      assert.match(wanCapture.output, /listening on wan0/);
      assert.doesNotMatch(wanCapture.output, /^\d\d:\d\d:/m);
    });
  });
});
