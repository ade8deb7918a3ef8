import { join } from "node:path";
import { Problem } from "../../../system/core/errors/problem.ts";
import { serveUnix } from "../../../system/core/ipc/unix_socket.ts";
import { readRegulatoryDb } from "../../../system/wifi/regulatory/regulatory_db.ts";
import { permittedChannels } from "../../../system/wifi/regulatory/permitted.ts";
import type {
  ChannelSwitch,
  RadioFacts,
  StationOnAir,
} from "../../../system/wifi/control_schema.ts";
import type { PlannedRadio } from "../../../system/wifi/plan_schema.ts";
import type { DfsReport } from "../../../system/wifi/air/schema.ts";
import { DEFAULT_ROAMING, type RoamingRecord } from "../../../system/wifi/roaming/schema.ts";
import type { IwNeighbour } from "../../../system/wifi/iw/schema.ts";
import type { Wifid } from "../../../system/wifi/wifid.ts";
import { SOCKET_ROUTES } from "../../../routes/internal.ts";
import { socketApp } from "../../../routes/http/socket_app.ts";

/** Facts of a radio of two bands. */
export const RADIO: RadioFacts = {
  name: "wlan0",
  phy: "phy0",
  mac: "02:00:00:00:20:00",
  accessPoint: true,
  perStation: true,
  ciphers: ["CCMP", "CCMP-256"],
  networks: 8,
  bands: [
    {
      band: "2.4",
      channels: [{ channel: 1, frequency: 2412, maxPower: 20, use: "usable" }],
      ht: 0x1ff,
      vht: null,
      he: false,
      eht: false,
    },
    {
      band: "5",
      channels: [{ channel: 36, frequency: 5180, maxPower: 23, use: "usable" }],
      ht: 0x1ff,
      vht: 0x0f8259b2,
      he: true,
      eht: false,
    },
  ],
};

/** A station that has joined `wlan0`. */
export const CLIENT: StationOnAir = {
  network: "wlan0",
  mac: "02:00:00:00:0a:01",
  link: "wlan0.4096",
  lines: {
    flags: "[AUTH][ASSOC][AUTHORIZED]",
    signal: "-52",
    tx_rate_info: "8667 vhtmcs 9 vhtnss 2",
    rx_rate_info: "60",
    connected_time: "75",
    AKMSuiteSelector: "00-0f-ac-8",
  },
  counters: { sent: 220, retries: 17, failed: 2 },
};

/** wifid's control socket without radios: it remembers what it is asked. */
export class FakeWifid implements AsyncDisposable {
  readonly requests: string[] = [];
  readonly checked: PlannedRadio[] = [];
  /** Radios of the machine. */
  items: RadioFacts[] = [RADIO];
  /** Stations that have joined. */
  clients: StationOnAir[] = [];
  /** What radar did. */
  dfs: DfsReport = { items: [] };
  /** What steering did. */
  history: RoamingRecord[] = [];
  /** What a scan finds; null: the radio cannot scan. */
  scan: IwNeighbour[] | null = null;
  /** What hostapd says of the next configurations. */
  complaint = "";
  #server: { shutdown(): Promise<void> } | null = null;

  /** Listens below a home. */
  async listen(home: string): Promise<this> {
    const app = socketApp(SOCKET_ROUTES.wifiControl(this.#wifid()), { by: "wifi", log: () => {} });
    const path = join(home, "state/wifi/wifid-control.sock");
    this.#server = await serveUnix(path, (request) => app.fetch(request));
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.shutdown();
  }

  #wifid(): Omit<Wifid, "stop"> {
    const known = (network: string): void => {
      if (!network.startsWith("wlan0")) {
        throw new Problem(404, `${network} is no access point that is on the air`);
      }
    };
    const rules = readRegulatoryDb(REGULATORY);
    const past = (): RoamingRecord[] => this.history;
    return {
      radios: () => Promise.resolve({ items: this.items, country: "US", hostapd: "2.10" }),
      countries: () => Promise.resolve({ items: [...rules.keys()] }),
      country: (country) =>
        Promise.resolve({ country, channels: permittedChannels(rules.get(country) ?? []) }),
      // deno-lint-ignore require-await
      status: async (network) => {
        known(network);
        return { state: "ENABLED", "ssid[0]": "a=b", freq: "5180" };
      },
      // deno-lint-ignore require-await
      stations: async (network) => {
        known(network);
        return { "02:00:00:00:0a:01": { flags: "[AUTH][ASSOC][AUTHORIZED]", vlan_id: "4096" } };
      },
      stationsOnAir: (mac) =>
        Promise.resolve({ items: this.clients.filter((one) => mac === "" || one.mac === mac) }),
      // deno-lint-ignore require-await
      disconnect: async (network, mac) => {
        known(network);
        this.requests.push(`deauth ${network} ${mac}`);
      },
      // deno-lint-ignore require-await
      forgetElsewhere: async (mac, seconds) => void this.requests.push(`forget ${mac} ${seconds}`),
      // deno-lint-ignore require-await
      switchChannel: async (radio, to: ChannelSwitch) => {
        known(radio);
        this.requests.push(
          `channel ${radio} ${to.frequency} ${to.bandwidth} ${to.offset} ${to.centre}`,
        );
      },
      // deno-lint-ignore require-await
      check: async (radio) => {
        this.checked.push(radio);
        return { problem: this.complaint };
      },
      // deno-lint-ignore require-await
      restart: async (name) => void this.requests.push(`restart ${name}`),
      steering: {
        status: {
          RoamingEnabled: true,
          Config: DEFAULT_ROAMING,
          HistoryCount: 0,
          ModelArms: 0,
          TransitionsActive: 0,
        },
        get history() {
          return past();
        },
        model: {},
        transition: (source, mac, target) => {
          if (target === source) {
            return Promise.reject(new Problem(400, "The station is on this radio already"));
          }
          this.requests.push(`transition ${source} ${mac} ${target}`);
          return Promise.resolve({
            SourceInterface: source,
            TargetInterface: target,
            MAC: mac,
            TargetBSSID: "02:00:00:00:21:00",
            OperatingClass: 115,
            Channel: 36,
            PHYType: 9,
            Command: "BSS_TM_REQ",
            HostapdResponse: "OK",
          });
        },
      },
      iwList: () => Promise.resolve([]),
      iwDevices: () => Promise.resolve({ phy0: { wlan0: { type: "AP" } } }),
      iwRegulatory: () => Promise.resolve({ country: "US", dfs: "DFS-FCC", bands: [] }),
      dfs: () => Promise.resolve(this.dfs),
      iwScan: () =>
        this.scan === null
          ? Promise.reject(new Problem(502, "iw: command failed: Device or resource busy (-16)"))
          : Promise.resolve(this.scan),
    };
  }
}

/** A database of one country: channels 1 to 11, 20 MHz wide, and 36 to 64, up to 160 MHz. */
const REGULATORY = new Uint8Array([
  ...[0x52, 0x47, 0x44, 0x42, 0, 0, 0, 20],
  ...[0x55, 0x53, 0, 4],
  ...[0, 0, 0, 0],
  ...[4, 2, 1, 0, 0, 6, 0, 10],
  ...[16, 0, 0x0b, 0xb8, 0, 0x24, 0x9f, 0x00, 0, 0x25, 0xb8, 0x40, 0, 0, 0x4e, 0x20],
  ...[16, 0, 0x08, 0xfc, 0, 0x4e, 0xe3, 0x10, 0, 0x51, 0x54, 0x10, 0, 0x02, 0x71, 0x00],
]);
