import assert from "node:assert/strict";
import { eventually } from "../kit/lab/bed.ts";
import { INTERNET } from "../kit/lab/lab.ts";
import type { Air } from "../kit/wifi/air.ts";
import type { SignIn, Station } from "../kit/wifi/station.ts";

/**
 * How often a station is asked, and for how many half seconds it is watched each time: the client of
 * the simulated radios leaves on a request, but at times its authentication at the other access point
 * is lost, and it comes back to the first.
 */
const REQUESTS = 4, LOOKS = 60;

/** The router's link to an address, by the kernel. */
async function linkOf({ lab }: Air, address: string): Promise<string> {
  const shown = await lab.must("router", "ip", ["route", "get", address]);
  return /\bdev (\S+)/.exec(shown)?.[1] ?? "";
}

/** BSSID and frequency of an access point. */
async function radio({ call }: Air, name: string): Promise<{ bssid: string; frequency: number }> {
  const { json } = await call("GET", `/hostapd/${name}/status`);
  return { bssid: json["bssid[0]"], frequency: Number(json.freq) };
}

/** A station follows a request to another radio, with its address, its rights and its connections. */
export async function roamsOnRequest(
  air: Air,
  station: Station,
  { from, to, signIn }: {
    readonly from: string;
    readonly to: string;
    readonly signIn: Pick<SignIn, "ssid" | "by" | "password">;
  },
): Promise<void> {
  const { lab, call, events } = air;
  const { mac, part } = station;
  const [here, there] = [await radio(air, from), await radio(air, to)];
  const pinned = { bssid: here.bssid, other: there.frequency };
  await station.join({ ...signIn, frequency: here.frequency, pinned });
  const before = (await call("GET", "/devices")).json[mac];
  const address = await station.lease();
  assert.ok((await linkOf(air, address)).startsWith(`${from}.`));
  const held = await lab.hold(part, INTERNET);
  const earlier = events.length;
  await station.unpin();
  const isThere = async () => await station.frequency() === there.frequency && await station.isOn();
  for (let left = REQUESTS; !await isThere(); left--) {
    assert.ok(left > 0, `${part} follows none of ${REQUESTS} requests to ${to}`);
    const { json: sent } = await call("PUT", `/hostapd/${from}/bssTransition`, {
      MAC: mac,
      TargetInterface: to,
    });
    assert.equal(sent.HostapdResponse, "OK");
    for (let looks = LOOKS; looks > 0 && !await isThere(); looks--) {
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
  await eventually(
    "the router reaches it there",
    async () => (await linkOf(air, address)).startsWith(`${to}.`),
  );
  await eventually(
    "an event says so",
    () =>
      Promise.resolve(
        events.slice(earlier).some(({ topic, value }) =>
          topic === "wifi:auth:success" && value["MAC"] === mac &&
          value["Iface"]!.startsWith(`${to}.`)
        ),
      ),
  );
  assert.equal(await held.breaks(), false, "its connection goes on");
  await held.close();
  assert.equal(await station.address(), address);
  assert.equal(await station.lease(), address, "the address is its own on this radio too");
  const after = (await call("GET", "/devices")).json[mac];
  assert.deepEqual([after.Policies, after.Groups], [before.Policies, before.Groups]);
  const [record] = (await call("GET", "/hostapd/roaming/history")).json;
  assert.deepEqual(
    [record.Origin, record.MAC, record.SourceInterface, record.TargetInterface],
    ["manual", mac, from, to],
  );
}
