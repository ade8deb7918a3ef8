import { CLIENT, FakeWifid, RADIO } from "../fakes/fake_wifid.ts";
import type { TestRouter } from "../router.ts";
import { demoId } from "./demo_home.ts";

/** Places of devices in the demo home that are on the air, and their signals. */
const ON_AIR: readonly (readonly [position: number, signal: string, connected: string])[] = [
  [1, "-48", "5412"],
  [2, "-61", "830"],
  [0, "-55", "41"],
];

/** Gives a demo home an access point with a guest network, clients on it, and a radio that is off. */
export async function demoWifi(router: TestRouter): Promise<FakeWifid> {
  const wifid = new FakeWifid();
  wifid.items = [RADIO, { ...RADIO, name: "wlan1", phy: "phy1", mac: "02:00:00:00:21:00" }];
  wifid.clients = ON_AIR.map(([position, signal, connected]) => ({
    ...CLIENT,
    mac: demoId(position),
    link: `wlan0.${4096 + position}`,
    lines: { ...CLIENT.lines, signal, connected_time: connected, rx_rate_info: "4333" },
  }));
  await wifid.listen(router.home);
  const put = async (path: string, body?: unknown): Promise<void> => {
    const answer = await router.ask("PUT", path, body === undefined ? {} : { body });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    await answer.body?.cancel();
  };
  await put("/hostapd/wlan0/enable");
  await put("/hostapd/wlan0/config", { Ssid: "Our home", Country_code: "US" });
  await put("/wifi/guests", { Name: "Guests", Password: "come in, friend" });
  const answer = await router.inside("wifi", "PUT", "/radios", {
    items: [{
      name: "wlan0",
      ...{ state: "enabled", channel: 36, frequency: 5180, problem: "", waiting: "" },
    }],
    present: ["wlan0", "wlan1"],
  });
  if (!answer.ok) throw new Error(await answer.text());
  await answer.body?.cancel();
  return wifid;
}
