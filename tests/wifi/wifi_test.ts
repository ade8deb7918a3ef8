import assert from "node:assert/strict";
import { eventually } from "../kit/lab/bed.ts";
import { INTERNET } from "../kit/lab/lab.ts";
import { type Air, FAST, SLOW, withAir } from "../kit/wifi/air.ts";
import { stepsOf } from "../kit/vm/steps.ts";
import { giveRadio, takeRadio } from "../kit/wifi/simulated_radios.ts";
import type { Station } from "../kit/wifi/station.ts";
import {
  cafeIsJoined,
  cafeIsLeft,
  cafeTakesOver,
  guestReachesInternetOnly,
  joinCafe,
  scanShowsNeighbours,
  supplicants,
} from "./around.ts";
import { joinMeasured } from "./join_measured.ts";
import { kernelVpn } from "./kernel_vpn.ts";
import { roamsOnRequest } from "./roam.ts";

const PHONE = `phone #"' \\ password`, LAMP = "lamp password 1";
const GUESTS = { ssid: "guests", password: "come in, friend", frequency: FAST.frequency } as const;

const DROPPED = /CTRL-EVENT-DISCONNECTED/;

async function give({ call }: Air, mac: string, body: unknown): Promise<void> {
  await call("PUT", `/device?identity=${mac}`, body);
}

// deno-lint-ignore no-explicit-any -- a device is read as its JSON
async function device({ call }: Air, { mac }: Station): Promise<any> {
  return (await call("GET", "/devices")).json[mac];
}

const online = async ({ lab }: Air, { part }: Station): Promise<boolean> =>
  /internet/.test(await lab.get(part, `http://${INTERNET}/`) ?? "");

/** Processes of the router whose command line fits. */
async function processes({ lab }: Air, pattern: RegExp): Promise<readonly number[]> {
  const shown = await lab.must("router", "ip", ["netns", "pids", lab.space("router")]);
  const found: number[] = [];
  for (const pid of shown.split("\n").filter((text) => text !== "")) {
    const line = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
    if (pattern.test(line.replaceAll("\0", " "))) found.push(Number(pid));
  }
  return found;
}

const hostapds = (air: Air, radio: string): Promise<readonly number[]> =>
  processes(air, new RegExp(`hostapd -B .*hostapd_${radio}\\.conf`));

async function state({ call }: Air, radio: string): Promise<string> {
  return (await call("GET", `/hostapd/${radio}/status`)).json.state;
}

Deno.test("access points keep each device to a password of its own", (t) =>
  withAir(async (air) => {
    const { lab, router, stations: [a, b], call, events } = air;
    const step = stepsOf(t);

    await step("a scan shows the networks around, whatever their names are made of", () =>
      scanShowsNeighbours(air));

    await step("two devices that wait join at once, each by the password it has", async () => {
      await joinCafe(air);
      const wait = (identity: string, Name: string, PSKEntry: unknown): Promise<void> =>
        give(air, identity, { Name, PSKEntry, Policies: ["wan"] });
      await wait("pending", "Phone", { Type: "sae", Psk: PHONE });
      await wait("pending-2", "Lamp", { Type: "wpa2", Psk: LAMP });
      await Promise.all([
        a.join({ ...FAST, by: "sae", password: PHONE }),
        b.join({ ...SLOW, by: "wpa2", password: LAMP }),
      ]);
      await eventually("both passwords are claimed", async () =>
        (await device(air, a))?.Name === "Phone" && (await device(air, b))?.Name === "Lamp");
      assert.equal((await call("GET", "/pendingPSK")).text.trim(), "false");
    });

    await step("each is online, on an interface of its own", async () => {
      await eventually("both are on", async () =>
        await a.isOn() && await b.isOn());
      const addresses = [await a.lease(), await b.lease()];
      assert.deepEqual(new Set(addresses).size, 2);
      assert.match((await device(air, a)).DHCPLastInterface, /^wlan1\.\d+$/);
      assert.match((await device(air, b)).DHCPLastInterface, /^wlan0\.\d+$/);
      await eventually("both reach the Internet", async () =>
        await online(air, a) && await online(air, b));
      const { items } = (await call("GET", "/wifi/clients")).json;
      const seen = new Map(items.map((one: { readonly mac: string }) => [one.mac, one]));
      for (const [{ mac }, band, security] of [[a, "5", "WPA3"], [b, "2.4", "WPA2"]] as const) {
        const client = seen.get(mac) as Readonly<Record<string, unknown>>;
        assert.deepEqual([client["band"], client["security"]], [band, security]);
        // The kernel counts on the station's own interface.
        assert.ok(Number(client["sent"]) > 0, JSON.stringify(client));
      }
    });

    await step("an uplink by Wi-Fi joins where it can, and reports a captive portal", () =>
      cafeIsJoined(air));

    await step("the radio carries the traffic while the cable leads nowhere", () =>
      cafeTakesOver(air, a.part));

    await step("they do not reach each other until a group says so", async () => {
      const [toB, toA] = [(await b.address())!, (await a.address())!];
      assert.equal(await lab.ping("a", toB), false);
      assert.equal(await lab.ping("b", toA), false);
      await call("PUT", "/groups", { Name: "friends", Disabled: false });
      for (const { mac } of [a, b]) {
        await give(air, mac, { Groups: ["friends"] });
      }
      await eventually("they reach each other", async () =>
        await lab.ping("a", toB) && await lab.ping("b", toA));
    });

    await step("a wrong password is refused and reported", async () => {
      const wrong = "not the password";
      await a.seek({ ...FAST, by: "sae", password: wrong });
      await b.seek({ ...SLOW, by: "wpa2", password: wrong });
      const failed = (mac: string): boolean =>
        events.some(({ topic, value }) =>
          topic === "wifi:auth:fail" && value["MAC"] === mac
        );
      await eventually("it is reported", () =>
        Promise.resolve(failed(b.mac)));
      assert.deepEqual([await a.isOn(), await b.isOn()], [false, false]);
    });

    await step("a WPA2 password that changed is revoked at once", async () => {
      await b.join({ ...SLOW, by: "wpa2", password: LAMP });
      await give(air, b.mac, { PSKEntry: { Type: "wpa2", Psk: "another lamp password" } });
      await b.line(DROPPED);
      await b.seek({ ...SLOW, by: "wpa2", password: LAMP });
      await b.line(/4-Way Handshake failed|SSID-TEMP-DISABLED/);
      assert.equal(await b.isOn(), false);
      await b.join({ ...SLOW, by: "wpa2", password: "another lamp password" });
    });

    await step(
      "a WPA3 password that changed is revoked, and nobody else is dropped",
      async () => {
        await a.join({ ...FAST, by: "sae", password: PHONE });
        const drops = b.count(DROPPED);
        await give(air, a.mac, { PSKEntry: { Type: "sae", Psk: "another phone password" } });
        await a.line(DROPPED);
        await a.seek({ ...FAST, by: "sae", password: PHONE });
        await a.line(/SSID-TEMP-DISABLED|ASSOC-REJECT|AUTH-REJECT/);
        assert.equal(await a.isOn(), false);
        await a.join({ ...FAST, by: "sae", password: "another phone password" });
        assert.equal(b.count(DROPPED), drops);
      },
    );

    await step("a device that joins has address, route and policy at once", async () => {
      await joinMeasured(air, b, {
        about: "a known device joins",
        radio: SLOW.name,
        network: SLOW.name,
        signIn: { ...SLOW, by: "wpa2", password: "another lamp password" },
      });
    });

    await step("a station that is disconnected comes back", async () => {
      await call("PUT", "/hostapd/wlan0/deauth", b.mac);
      await b.line(DROPPED);
      await eventually("it is on again", () =>
        b.isOn());
    });

    await step("a channel that is switched takes its stations along", async () => {
      const drops = b.count(DROPPED);
      const channel = { Mode: "g", Channel: 6, Bandwidth: 20, HT_Enable: true };
      await call("PUT", "/hostapd/wlan0/setChannel", channel);
      await eventually("the station follows", async () =>
        await b.frequency() === 2437);
      assert.equal(await b.isOn(), true);
      assert.equal(b.count(DROPPED), drops);
      const forbidden = await router.api("PUT", "/hostapd/wlan0/config", {
        body: { Channel: 13, Country_code: "US" },
      });
      assert.equal(forbidden.status, 400);
      assert.match(forbidden.text, /13/);
    });

    await step("a station by WPA2 moves to the other radio on request", () =>
      roamsOnRequest(air, b, {
        from: FAST.name,
        to: SLOW.name,
        signIn: { ssid: FAST.ssid, by: "wpa2", password: "another lamp password" },
      }));

    await step("a station by WPA3, whose frames are protected, does so too", () =>
      roamsOnRequest(air, a, {
        from: FAST.name,
        to: SLOW.name,
        signIn: { ssid: FAST.ssid, by: "sae", password: "another phone password" },
      }));

    await step("a station keeps its address on another radio", async () => {
      const address = await b.lease();
      await b.join({ ...FAST, by: "wpa2", password: "another lamp password" });
      assert.equal(await b.lease(), address);
      assert.match((await device(air, b)).DHCPLastInterface, /^wlan1\.\d+$/);
      await eventually("it is online there", () =>
        online(air, b));
    });

    await step("a hostapd that is killed comes back, and the other goes on", async () => {
      const drops = b.count(DROPPED);
      const [before] = await hostapds(air, SLOW.name);
      Deno.kill(before!, "SIGKILL");
      await eventually("another one runs", async () => {
        const [now] = await hostapds(air, SLOW.name);
        return now !== undefined && now !== before && await state(air, SLOW.name) === "ENABLED";
      });
      await a.join({ ...SLOW, by: "sae", password: "another phone password" });
      assert.equal(await b.isOn(), true);
      assert.equal(b.count(DROPPED), drops);
    });

    await step("a wifid that is killed comes back, and drops no station", async () => {
      const stations = [a, b] as const;
      const drops = stations.map((one) =>
        one.count(DROPPED)
      );
      const radios = [await hostapds(air, SLOW.name), await hostapds(air, FAST.name)];
      const uplinks = await supplicants(air);
      const [before] = await processes(air, /wifid\.js wifid /);
      Deno.kill(before!, "SIGKILL");
      await eventually("another one serves", async () => {
        const [now] = await processes(air, /wifid\.js wifid /);
        return now !== undefined && now !== before && await state(air, FAST.name) === "ENABLED";
      });
      assert.deepEqual([await hostapds(air, SLOW.name), await hostapds(air, FAST.name)], radios);
      assert.equal(uplinks.length, 1);
      assert.deepEqual(await supplicants(air), uplinks, "the supplicant is adopted");
      for (const one of stations) {
        assert.equal(await one.isOn(), true);
      }
      assert.deepEqual(
        stations.map((one) =>
          one.count(DROPPED)
        ),
        drops,
      );
      // It knows what stands: a device that is deleted is off the air.
      await call("DELETE", `/device?identity=${a.mac}`);
      await a.line(DROPPED);
      await a.seek({ ...SLOW, by: "sae", password: "another phone password" });
      await a.line(/SSID-TEMP-DISABLED|ASSOC-REJECT|AUTH-REJECT/);
      assert.deepEqual(await hostapds(air, SLOW.name), radios[0]);
    });

    await step("an uplink by Wi-Fi that is deleted is off the air", () =>
      cafeIsLeft(air));

    await step("a network for guests has one password for all", async () => {
      await call("PUT", "/hostapd/wlan1/enableExtraBSS", {
        Ssid: GUESTS.ssid,
        Bssid: "02:00:00:00:01:00",
        Wpa: "2",
        GuestPassword: GUESTS.password,
      });
      await eventually(
        "it is on the air",
        async () =>
          (await state(air, "wlan1.ap0")) === "ENABLED",
      );
      await a.join({ ...GUESTS, by: "wpa2" });
      await a.lease();
      const guest = await device(air, a);
      assert.match(guest.DHCPLastInterface, /^wlan1\.ap0\.\d+$/);
      assert.ok(guest.Policies.includes("guestonly"));
      // Devices keep their own on the main network.
      await b.join({ ...FAST, by: "wpa2", password: "another lamp password" });
    });

    await step("a guest reaches the Internet, and nothing else", () =>
      guestReachesInternetOnly(air, a, b));

    await step(
      "a radio that is unplugged is missed, and used again when it is back",
      async () => {
        const missed = async (): Promise<boolean> =>
          (await call("GET", "/notices")).json.items.some((
            { detail, resolvedAt }: { readonly detail: string; readonly resolvedAt: number | null },
          ) =>
            /wlan0 is not there/.test(detail) && resolvedAt === null
          );
        await takeRadio(lab, SLOW.name, "router");
        await eventually("a notice says so", missed);
        await giveRadio(lab, SLOW.name, "router");
        await eventually("it is on the air", async () =>
          await state(air, SLOW.name) === "ENABLED");
        assert.equal(await missed(), false);
      },
    );

    await step("an access point that is turned off is off the air", async () => {
      await call("PUT", "/hostapd/wlan1/disable");
      await b.line(DROPPED);
      await eventually(
        "its hostapd has ended",
        async () =>
          (await hostapds(air, FAST.name)).length === 0,
      );
      assert.equal(await state(air, SLOW.name), "ENABLED");
    });

    await step("a phone away from home comes in by the kernel's WireGuard", () =>
      kernelVpn(air, {
        processes: (pattern) => processes(air, pattern),
      }));

    await step("no password is in the log, in an event or on a command line", async () => {
      const secrets = [PHONE, LAMP, "another phone password", "another lamp password"];
      const lines = [
        router.process.output,
        JSON.stringify(events),
        ...await Promise.all(
          (await processes(air, /./)).map((pid) =>
            Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "")
          ),
        ),
      ];
      for (const secret of [...secrets, GUESTS.password]) {
        assert.ok(!lines.some((line) => line.includes(secret)), secret);
      }
      const folder = `${router.home}/state/wifi/hostapd`;
      for await (const { name } of Deno.readDir(folder)) {
        assert.equal((await Deno.stat(`${folder}/${name}`)).mode! & 0o777, 0o600, name);
      }
      assert.equal((await Deno.stat(folder)).mode! & 0o777, 0o700);
    });
  }));
