import assert from "node:assert/strict";
import { join } from "node:path";
import { checkHostapdFile, hostapdVersion } from "../../../system/host/tools/hostapd.ts";
import { RadioFiles } from "../../../system/wifi/access_point/radio_files.ts";
import { FILE_CASES } from "../../kit/wifi/hostapd_files.ts";
import { plannedRadio } from "../../kit/wifi/fake_radio.ts";

/** The files of a radio in a folder of its own, read by the installed hostapd. */
async function files(folder: string): Promise<RadioFiles> {
  const { major, minor } = await hostapdVersion();
  return new RadioFiles("wlan0", {
    read: (name) => Deno.readTextFile(join(folder, name)),
    write: (name, text) => Deno.writeTextFile(join(folder, name), text, { mode: 0o600 }),
    remove: (name) => Deno.remove(join(folder, name)),
    list: async () => (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name),
    path: (name) => join(folder, name),
    controlFolder: () => join(folder, "control"),
    wifi7: () => major > 2 || minor >= 11,
    check: checkHostapdFile,
    secret: () => "nobody knows this",
  });
}

Deno.test("hostapd takes every file that is made for it", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const radio = await files(folder);
    for (const { name, radio: plan } of FILE_CASES) {
      assert.equal(await radio.complaints(plan, null), "", name);
    }
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), [], "nothing stays behind");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("hostapd's own words say what it does not take", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const radio = await files(folder);
    const six = { hw_mode: "a", channel: 37, op_class: 131, ieee80211ax: 1 } as const;
    const text = await radio.complaints(plannedRadio(six), null);
    assert.match(text, /6 GHz/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
