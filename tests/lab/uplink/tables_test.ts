import assert from "node:assert/strict";
import { type Held, UPLINK } from "../../kit/lab/lab.ts";
import { eventually } from "../../kit/lab/bed.ts";
import { MACHINES, type UplinkLab, withUplinks } from "../../kit/lab/uplinks.ts";
import { PACE } from "../../kit/pace.ts";

/** Longer than a connection may be silent before it counts as stalled, also where others are busy. */
const STALL = 2500 * PACE;

async function isActive({ router }: UplinkLab, name: string): Promise<boolean> {
  const all = (await router.api("GET", "/wan/status")).json as readonly {
    readonly Iface: string;
    readonly Active: boolean;
    readonly IP: string;
  }[];
  return all.find(({ Iface }) => Iface === name)?.Active ?? false;
}

async function leased({ router }: UplinkLab): Promise<string> {
  const all = (await router.api("GET", "/wan/status")).json as readonly {
    readonly Iface: string;
    readonly IP: string;
  }[];
  return all.find(({ Iface }) => Iface === "wan1")!.IP.split("/")[0]!;
}

/** A machine that is reached by the uplink with this address. */
async function machineBy(bed: UplinkLab, address: string): Promise<string> {
  let found: string | undefined;
  await eventually(`a machine is reached by ${address}`, async () => {
    for (const machine of MACHINES) {
      if (await bed.seen(machine) !== address) continue;
      found = machine;
      return true;
    }
    return false;
  });
  return found!;
}

Deno.test("connections of an uplink survive removing, retyping and restoring an earlier one", () =>
  withUplinks({ name: "keep" }, async (bed) => {
    const { lab, router, client } = bed;
    await eventually("both uplinks lead out", async () => {
      return await isActive(bed, "wan0") && await isActive(bed, "wan1");
    });
    const address = await leased(bed);
    const forward = {
      ...{ SrcIP: "0.0.0.0/0", SrcPort: "7", DstIP: client.IP, DstPort: "7", Protocol: "tcp" },
    };
    assert.equal((await router.api("PUT", "/firewall/forward", { body: forward })).status, 200);
    await lab.deno(client.name, "greeter.ts", ["a", "7"]).line(/^ready$/);
    const held: [string, Held][] = [
      ["out by the second", await lab.hold(client.name, await machineBy(bed, address))],
      ["in by the second", await lab.hold("wan", address)],
    ];
    const live = async (what: string): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, STALL));
      for (const [name, one] of held) assert.ok(one.alive, `${name}: ${what}`);
      const { state, drift } = (await router.api("GET", "/network")).json;
      assert.deepEqual([state, drift], ["applied", []], what);
    };
    const set = async (more: Readonly<Record<string, unknown>>): Promise<string> => {
      const answer = await router.api("PUT", "/link/config", { body: { Name: "wan0", ...more } });
      assert.equal(answer.status, 200, answer.text);
      return answer.headers.get("change-id")!;
    };
    const undo = async (id: string): Promise<void> => {
      const answer = await router.api("PUT", `/changes/${id}/undo`);
      assert.equal(answer.status, 200, answer.text);
    };
    const returns = () => eventually("the first is back", () => isActive(bed, "wan0"));

    await set({ Enabled: false });
    await set({ Enabled: true });
    await returns();
    await live("it is enabled again");

    const other = await set({ Type: "Other" });
    held.push(["begun alone", await lab.hold(client.name, MACHINES[0]!)]);
    held.push(["in while alone", await lab.hold("wan", address)]);
    const home = await set({ Type: "Downlink" });
    await live("it leads home");
    await undo(home);
    await undo(other);
    await returns();
    await live("both changes are undone");

    const file = `${router.home}/configs/base/interfaces.json`;
    const listed = JSON.parse(await Deno.readTextFile(file)) as { readonly Name: string }[];
    const write = (list: readonly unknown[]) =>
      Deno.writeTextFile(file, JSON.stringify(list, null, 2));
    await write(listed.filter(({ Name }) => Name !== "wan0"));
    await eventually("the edit is in force", async () => {
      const shown = (await router.api("GET", "/interfacesConfiguration")).json;
      return !shown.some(({ Name }: { Name: string }) => Name === "wan0");
    });
    await router.stop("SIGKILL");
    await router.start();
    await eventually("the second leads out", () => isActive(bed, "wan1"));
    await live("everything was killed and began anew");
    await write([...listed.filter(({ Name }) => Name !== "wan0"), listed[0]]);
    await returns();
    await live("its entry is back, behind the other");
    await machineBy(bed, UPLINK);
    assert.match(await lab.must("router", "ip", ["rule", "show"]), /fwmark 0xc9 lookup 201/);
    for (const [, one] of held) await one.close();
  }));
