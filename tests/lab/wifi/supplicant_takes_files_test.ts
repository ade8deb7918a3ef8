import assert from "node:assert/strict";
import { command } from "../../kit/lab/command.ts";
import { attachEvents, ControlSocket } from "../../../system/host/sockets/hostapd_socket.ts";
import { stopSupplicant, supplicantRunning } from "../../../system/host/tools/wpa_supplicant.ts";
import type { JoinedNetwork } from "../../../system/wifi/supplicant/schema.ts";
import { Supplicant } from "../../../system/wifi/supplicant/supplicant.ts";

const TEXTS = [`it's "so" \\ #8`, `""""""""`, "emoji 😀 pass", `} network={ #"`, '\\x41\\n \\"x'];

function network(name: string, password: string, keys: JoinedNetwork["keys"]): JoinedNetwork {
  return {
    ...{ name, ssidHex: new TextEncoder().encode(name).toHex(), keys, password },
    ...{ priority: 3, bssid: "02:00:00:00:0b:01" },
  };
}

const NETWORKS = TEXTS.flatMap((text, at) => [
  network(text, text, ["WPA-PSK", "WPA-PSK-SHA256", "SAE"]),
  network(`${at}`, text, ["SAE"]),
]).concat(network("key", "ab".repeat(32), ["WPA-PSK"]), network("open", "", ["NONE"]));

Deno.test("the installed wpa_supplicant takes names and passwords whatever they hold", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-wpa-" });
  const path = (name: string): string => `${folder}/${name}`;
  const socket = { server: path("ctrl/lo"), folder, program: "wpa_supplicant" };
  let starts = 0;
  const uplink = new Supplicant("lo", {
    read: (name) => Deno.readTextFile(path(name)).catch(() => null),
    write: (name, text) => Deno.writeTextFile(path(name), text, { mode: 0o600 }),
    remove: (name) => Deno.remove(path(name)),
    path,
    controlFolder: () => path("ctrl"),
    running: supplicantRunning,
    // No radio is needed to read files: the driver of wires does, on the loopback.
    async start(link, file) {
      starts++;
      const result = await command("wpa_supplicant", ["-B", "-i", link, "-D", "wired", "-c", file]);
      assert.ok(result.ok, result.stdout);
    },
    stop: stopSupplicant,
    control: () => new ControlSocket(socket),
    attach: (_link, onEvent) => attachEvents(socket, onEvent),
    exists: () => Promise.resolve(true),
    changed: () => {},
    now: () => performance.now(),
  });
  const requested = new ControlSocket(socket);
  /** Names that it has, in hexadecimal or between quotation marks. */
  const names = async (): Promise<readonly string[]> => {
    const list = (await requested.request("LIST_NETWORKS")).split("\n").slice(1);
    return await Promise.all(list.map(async (line) => {
      const text = await requested.request(`GET_NETWORK ${line.split("\t")[0]} ssid`);
      const quoted = /^"(.*)"$/s.exec(text)?.[1];
      return quoted === undefined ? text : new TextEncoder().encode(quoted).toHex();
    }));
  };
  const wanted = (list: readonly JoinedNetwork[]) => list.map(({ ssidHex }) => ssidHex);
  try {
    const plan = (networks: readonly JoinedNetwork[]) => ({
      name: "lo",
      country: "US",
      networks: [...networks],
    });
    await uplink.apply(plan(NETWORKS));
    assert.deepEqual(await names(), wanted(NETWORKS), "from its file");
    // The same in place, without a restart and without reading the file anew.
    await uplink.apply(plan([]));
    assert.deepEqual(await names(), []);
    await uplink.apply(plan(NETWORKS));
    assert.deepEqual(await names(), wanted(NETWORKS), "by its socket");
    const again = NETWORKS.map((one) => ({ ...one, priority: 9 }));
    await uplink.apply(plan(again));
    for (const line of (await requested.request("LIST_NETWORKS")).split("\n").slice(1)) {
      assert.equal(await requested.request(`GET_NETWORK ${line.split("\t")[0]} priority`), "9");
    }
    assert.equal(starts, 1);
    await uplink.retire();
    assert.equal(await supplicantRunning(path("wpa_lo.conf")), null);
  } finally {
    requested.close();
    await uplink.close();
    await stopSupplicant(path("wpa_lo.conf"));
    await Deno.remove(folder, { recursive: true });
  }
});
