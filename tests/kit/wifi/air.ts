import { RadioSettings } from "../../../system/wifi/radio/settings_schema.ts";
import { type Bed, eventually } from "../lab/bed.ts";
import { buildLab, PROVIDER, UPLINK } from "../lab/lab.ts";
import { type ApiAnswer, type LabRouter, startRouter } from "../lab/router.ts";
import { Cafe } from "./cafe.ts";
import { giveRadio } from "./simulated_radios.ts";
import { Station } from "./station.ts";

/** Name of the network, which is no plain text. */
const SSID = 'Läb 😀 "1"';
/** The router's access points: a slow one, and a fast one. */
export const SLOW = { name: "wlan0", ssid: SSID, frequency: 2412 } as const;
export const FAST = { name: "wlan1", ssid: SSID, frequency: 5180 } as const;
/** The router's radio that is none. */
export const SPARE = "wlan4";

/** Something that happened, as programs hear of it. */
export interface WifiEvent {
  readonly topic: string;
  readonly value: Readonly<Record<string, string>>;
}

/** A lab with two access points in its router, two stations, and a café beside it. */
export interface Air extends Pick<Bed, "lab" | "router"> {
  readonly cafe: Cafe;
  readonly stations: readonly [Station, Station];
  /** Events of Wi-Fi since the start. */
  readonly events: readonly WifiEvent[];
  /** An answer of the API, which must be 200. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<ApiAnswer>;
}

/** Interfaces and radios of the router, by files of its configuration. */
function files(): Readonly<Record<string, unknown>> {
  const link = (Name: string, Type: string, more = {}): unknown => ({
    Name,
    Type,
    Enabled: true,
    ...more,
  });
  const radio = (settings: unknown): unknown =>
    RadioSettings.parse({ ssid: SSID, bss_transition: 1, ...settings as object });
  return {
    "base/interfaces.json": [
      link("wan0", "Uplink", { DisableDHCP: true, IP: `${UPLINK}/24`, Router: PROVIDER }),
      link(SLOW.name, "AP"),
      link(FAST.name, "AP"),
    ],
    "wifi/radios.json": {
      [SLOW.name]: radio({ hw_mode: "g", channel: 1 }),
      [FAST.name]: radio({ hw_mode: "a", channel: 36 }),
    },
    // The radio is used where the cable leads nowhere.
    "base/wan.json": { Uplinks: [{ Iface: "wan0" }, { Iface: SPARE, Weight: 0 }] },
  };
}

/** Builds a lab on the radios of this virtual machine for the time of the work. */
export async function withAir(work: (air: Air) => Promise<void>): Promise<void> {
  const lab = await buildLab({ name: "air", clients: 2 });
  try {
    for (const name of [SLOW.name, FAST.name, SPARE]) await giveRadio(lab, name, "router");
    const cafe = await Cafe.open(lab);
    const stations = [
      await Station.open(lab, "a", "wlan2"),
      await Station.open(lab, "b", "wlan3"),
    ] as const;
    for (const { link, part } of stations) await giveRadio(lab, link, part);
    const services = "dhcpd,uplinkd,wifid,wireguard";
    const router = await startRouter(lab, { services, files: files() });
    const events: WifiEvent[] = [];
    const bus = await listen(router, events);
    try {
      const call = async (method: string, path: string, body?: unknown): Promise<ApiAnswer> => {
        const answer = await router.api(method, path, { body });
        if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
        return answer;
      };
      for (const { name } of [SLOW, FAST]) {
        await eventually(
          `${name} is on the air`,
          async () => (await call("GET", `/hostapd/${name}/status`)).json.state === "ENABLED",
        );
      }
      await work({ lab, router, stations, cafe, call, events });
    } catch (error) {
      const output = router.process.output.slice(-20_000);
      const { text } = await router.api("GET", "/devices");
      throw new Error(`${JSON.stringify(events)}\n${text}\nSluice said:\n${output}`, {
        cause: error,
      });
    } finally {
      bus.close();
      for (const station of stations) await station.close();
      await cafe.close();
      await router.close();
    }
  } finally {
    await lab.close();
  }
}

/** Gathers the events of Wi-Fi that the router's programs hear. */
async function listen(router: LabRouter, events: WifiEvent[]): Promise<{ close(): void }> {
  const socket = `${router.home}/state/api/eventbus.sock`;
  const bus = await Deno.connect({ transport: "unix", path: socket });
  await bus.write(new TextEncoder().encode('{"topic":"subscribe:wifi:","value":""}\n'));
  const read = async (): Promise<void> => {
    let rest = "";
    for await (const text of bus.readable.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        const { topic, value } = JSON.parse(line);
        if (topic.startsWith("wifi:")) events.push({ topic, value: JSON.parse(value) });
      }
    }
  };
  // It ends when the connection is closed.
  read().catch(() => {});
  return { close: () => bus.close() };
}
