import assert from "node:assert/strict";
import { command, must } from "../kit/lab/command.ts";

/** Makes links in a namespace that goes with the trying. */
async function makes(...links: readonly string[]): Promise<void> {
  const lines = links.map((link) => `link add ${link}\n`).join("");
  const made = await command("unshare", ["-n", "ip", "-batch", "-"], lines);
  assert.ok(made.ok, `${lines}: ${made.stderr}`);
}

Deno.test("the VM's kernel supports VLANs, dummies and WireGuard interfaces", async () => {
  await makes("try0 type dummy", "link try0 name try.1 type vlan id 1");
  await makes("try0 type wireguard");
});

Deno.test("the VM's kernel has six radios with AP mode", async () => {
  const radios = [...(await must("iw", ["dev"])).matchAll(/Interface (\S+)/g)];
  assert.deepEqual(radios.map(([, name]) => name).sort(), [
    "wlan0",
    "wlan1",
    "wlan2",
    "wlan3",
    "wlan4",
    "wlan5",
  ]);
  const modes = await must("iw", ["phy"]);
  assert.equal([...modes.matchAll(/Supported interface modes:[\s\S]*?\* AP\n/g)].length, 6);
});

Deno.test("the VM has no network interfaces but its radios", async () => {
  const links: readonly { readonly ifname: string }[] = JSON.parse(
    await must("ip", ["-j", "link", "show"]),
  );
  assert.deepEqual(
    links.map(({ ifname }) => ifname).filter((name) => !/^(lo|wlan[0-5]|hwsim0)$/.test(name)),
    [],
  );
});
