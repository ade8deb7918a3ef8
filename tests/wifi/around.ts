import assert from "node:assert/strict";
import { eventually } from "../kit/lab/bed.ts";
import { INTERNET, UPLINK } from "../kit/lab/lab.ts";
import { programsIn } from "../kit/lab/pids.ts";
import { type Air, SLOW, SPARE } from "../kit/wifi/air.ts";
import { CAFE, FORGED, LEASED, PORTAL, PORTAL_CHECK } from "../kit/wifi/cafe.ts";
import type { Station } from "../kit/wifi/station.ts";

const bytes = (text: string): string => new TextEncoder().encode(text).toHex();

// deno-lint-ignore no-explicit-any -- an uplink is read as its JSON
async function status({ call }: Air): Promise<any> {
  return (await call("GET", "/uplink/wifi/status")).json[0];
}

/** The router's address that the Internet sees of a client; "" nobody is reached. */
async function seen({ lab }: Air, part: string): Promise<string> {
  return /internet (\S+)/.exec(await lab.get(part, `http://${INTERNET}/`) ?? "")?.[1] ?? "";
}

async function portalNotices({ call }: Air): Promise<readonly string[]> {
  const { items } = (await call("GET", "/notices")).json;
  return items.filter(({ kind, resolvedAt }: { readonly kind: string; resolvedAt: unknown }) =>
    kind === "uplink-portal" && resolvedAt === null
  ).map(({ detail }: { readonly detail: string }) => detail);
}

/** A scan shows the neighbours, whatever their names are made of. */
export async function scanShowsNeighbours({ call, router }: Air): Promise<void> {
  let found: readonly { readonly ssid: string; readonly [field: string]: unknown }[] = [];
  // A scan listens to each channel for about one beacon, and may miss it.
  await eventually("a scan finds both networks", async () => {
    found = (await call("GET", `/iw/dev/${SPARE}/scan`)).json;
    return [CAFE.scanned, "BSS 02:66"].every((name) =>
      found.some(({ ssid }) => ssid.includes(name))
    );
  });
  const cafe = found.find(({ ssid }) => ssid === CAFE.scanned);
  assert.deepEqual([cafe?.["freq"], cafe?.["interface"]], [2462, SPARE], JSON.stringify(found));
  assert.match(String(cafe?.["authentication_suites"]), /PSK SAE/);
  const forged = found.find(({ ssid }) => ssid.includes("BSS 02:66"));
  assert.equal(forged?.["bssid"], "02:00:00:00:05:01");
  assert.equal(forged?.ssid, FORGED.scanned);
  assert.ok(found.every(({ bssid }) => bssid !== "02:66:66:66:66:66"));
  const busy = await router.api("GET", "/iw/dev/wlan0/scan");
  assert.equal(busy.status, 400, busy.text);
  assert.match(busy.text, /access point/);
}

/** Sets an uplink by Wi-Fi, whose preferred network does not accept its password. */
export async function joinCafe({ call }: Air): Promise<void> {
  await call("PUT", "/uplink/wifi", {
    Iface: SPARE,
    Enabled: true,
    PortalCheckURL: PORTAL_CHECK,
    Networks: [
      { SSIDHex: bytes(FORGED.ssid), Password: "a wrong password", Priority: 9 },
      {
        SSID: CAFE.ssid,
        Password: CAFE.password,
        KeyMgmt: "WPA-PSK WPA-PSK-SHA256 SAE",
        Priority: 1,
      },
    ],
  });
}

/** The uplink gets to the network whose password is right, and its portal is reported. */
export async function cafeIsJoined(air: Air): Promise<void> {
  await eventually("it is connected", async () => {
    const { State, SSID } = await status(air);
    return State === "connected" && SSID === CAFE.ssid;
  });
  await eventually("it has an address", async () => {
    const all = (await air.call("GET", "/wan/status")).json;
    const { IP, Up } = all.find(({ Iface }: { readonly Iface: string }) => Iface === SPARE);
    return Up && LEASED.test(IP.split("/")[0]);
  });
  await eventually("the portal is reported", async () => (await portalNotices(air)).length === 1);
  assert.match((await portalNotices(air))[0]!, /asks for a sign-in/);
  assert.equal((await status(air)).Portal, PORTAL);
}

/** The radio carries what the cable no longer does, until it is back. */
export async function cafeTakesOver(air: Air, part: string): Promise<void> {
  const plug = (state: "up" | "down") => air.lab.must("wan", "ip", ["link", "set", "wan0", state]);
  assert.equal(await seen(air, part), UPLINK);
  await plug("down");
  await eventually("it is online by radio", async () => LEASED.test(await seen(air, part)));
  await plug("up");
  await eventually("it is online by cable", async () => await seen(air, part) === UPLINK);
  await air.cafe.signIn();
}

/** Processes that keep the uplink. */
export const supplicants = ({ lab }: Air): Promise<readonly number[]> =>
  programsIn(lab, "wpa_supplicant");

/** Nothing is left of the uplink once its networks are deleted. */
export async function cafeIsLeft(air: Air): Promise<void> {
  assert.deepEqual((await status(air)).State, "connected");
  await eventually(
    "the portal lets it through",
    async () => (await portalNotices(air)).length === 0,
  );
  assert.equal((await status(air)).Portal, "");
  await air.call("DELETE", `/uplink/wifi/${SPARE}`);
  const files = `${air.router.home}/state/wifi/hostapd`;
  await eventually(
    "supplicant and files are gone",
    async () =>
      (await supplicants(air)).length === 0 &&
      [...Deno.readDirSync(files)].every(({ name }) => !name.startsWith("wpa_")),
  );
  const link = await air.lab.must("router", "iw", ["dev", SPARE, "link"]);
  assert.match(link, /Not connected/);
}

/** A guest joins by the network's password, and reaches the Internet and nothing else. */
export async function guestReachesInternetOnly(
  { lab, call, router }: Air,
  guest: Station,
  host: Station,
): Promise<void> {
  const network = { ssid: "Visitors 🛋", password: "make yourselves at home" } as const;
  // What is known of it would hold on this network as well.
  await call("DELETE", `/device?identity=${guest.mac}`);
  await call("PUT", "/wifi/guests", {
    Name: network.ssid,
    Password: network.password,
    Radios: [SLOW.name],
  });
  await guest.join({ ...network, by: "sae", frequency: SLOW.frequency });
  const address = await guest.lease();
  const device = (await call("GET", "/devices")).json[guest.mac];
  assert.deepEqual(device.DeviceTags, ["guest"]);
  assert.deepEqual(device.Policies.toSorted(), ["dns", "guestonly", "noapi", "wan"]);
  assert.match(device.DHCPLastInterface, /^wlan0\.ap0\.\d+$/);
  const { Guests } = (await call("GET", "/wifi/guests")).json;
  assert.deepEqual(Guests.map(({ Identity }: { readonly Identity: string }) => Identity), [
    guest.mac,
  ]);
  await eventually(
    "it reaches the Internet",
    async () => await lab.tcp(guest.part, INTERNET, 80) === "open",
  );
  const own = address.replace(/\d+$/, (last) => String(Number(last) - 1));
  const theirs = (await host.address())!;
  const answers = await Promise.all([
    lab.ping(guest.part, theirs),
    lab.ping(host.part, address),
    lab.tcp(guest.part, own, 80),
    lab.tcp(guest.part, UPLINK, 80),
    lab.tcp(guest.part, theirs.replace(/\d+$/, (last) => String(Number(last) - 1)), 80),
  ]);
  assert.ok(answers.every((one) => one === false || one === "timeout"), JSON.stringify(answers));
  // The names' port is let through; nobody listens on it here.
  assert.equal(await lab.tcp(guest.part, own, 53), "refused");
  await call("DELETE", "/wifi/guests");
  await guest.line(/CTRL-EVENT-DISCONNECTED/);
  assert.equal((await router.api("GET", "/wifi/guests")).json.Enabled, false);
}
