import assert from "node:assert/strict";
import { eventually, withBed } from "../kit/lab_bed.ts";
import { command } from "../kit/lab_command.ts";

/** True where this kernel makes VLANs; asked in a namespace that goes with the asking. */
async function makesVlans(): Promise<boolean> {
  const links = "link add try0 type veth peer try1\nlink add link try0 name try.1 type vlan id 1\n";
  return (await command("unshare", ["-n", "ip", "-batch", "-"], links)).ok;
}

const VLANS = await makesVlans();

Deno.test({
  name: `a tagged device has its own link on a trunk${VLANS ? "" : " (SKIPPED: no 8021q here)"}`,
  ignore: !VLANS,
  fn: () =>
    withBed({ name: "vlan", lab: { clients: 1 } }, async ({ lab, router, clients: [client] }) => {
      const { mac, link, IP } = client!;
      const trunk = await router.api("PUT", `/link/vlan/${link}/enable`);
      assert.equal(trunk.status, 200, trunk.text);
      const body = { VLANTag: "30" };
      assert.equal((await router.api("PUT", `/device?identity=${mac}`, { body })).status, 200);
      const shown = () => lab.exec("router", "ip", ["-d", "link", "show", "dev", `${link}.30`]);
      await eventually("the VLAN is made", async () =>
        /vlan protocol 802.1Q id 30/.test(
          (await shown()).stdout,
        ));
      await lab.must(client!.name, "ip", [
        ...["link", "add", "link", "eth0", "name", "eth0.30", "type", "vlan", "id", "30"],
      ]);
      assert.equal((await router.api("PUT", `/link/vlan/${link}/disable`)).status, 200);
      await eventually("the VLAN is gone", async () => !(await shown()).ok);
      const devices = (await router.api("GET", "/devices")).json;
      assert.equal(devices[mac].RecentIP, IP);
    }),
});

Deno.test({
  name: `where the kernel makes no VLANs, a trunk is refused and the reason told`,
  ignore: VLANS,
  fn: () =>
    withBed({ name: "novlan", lab: { clients: 1 }, leases: 0 }, async ({ lab, router }) => {
      const answer = await router.api("PUT", `/link/vlan/${lab.clients[0]!.link}/enable`);
      assert.equal(answer.status, 503);
      assert.match(answer.text, /8021q/);
    }),
});
