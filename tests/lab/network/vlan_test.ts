import assert from "node:assert/strict";
import { withBed } from "../../kit/lab/bed.ts";
import { command } from "../../kit/lab/command.ts";
import { stepsOf } from "../../kit/vm/steps.ts";
import { tagsHold } from "./tagged.ts";

/** True where this kernel makes VLANs; asked in a namespace that goes with the asking. */
async function makesVlans(): Promise<boolean> {
  const links = "link add try0 type veth peer try1\nlink add link try0 name try.1 type vlan id 1\n";
  return (await command("unshare", ["-n", "ip", "-batch", "-"], links)).ok;
}

const VLANS = await makesVlans();

Deno.test({
  name: `tagged devices have links of their own on a trunk${VLANS ? "" : " (SKIPPED: no 8021q)"}`,
  ignore: !VLANS,
  fn: (t) =>
    withBed(
      { name: "vlan", lab: { clients: 2 }, leases: 0, router: { services: "dhcpd" } },
      (bed) => tagsHold(stepsOf(t), bed),
    ),
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
