import { Problem } from "../../../system/core/errors/problem.ts";
import { attachEvents, ControlSocket } from "../../../system/host/sockets/hostapd_socket.ts";
import { AccessPoint } from "../../../system/wifi/access_point/access_point.ts";
import type { AccessPointDeps, StationReport } from "../../../system/wifi/access_point/ports.ts";
import type { RadioFacts } from "../../../system/wifi/control_schema.ts";
import { PlannedBss, PlannedRadio, type StationKey } from "../../../system/wifi/plan_schema.ts";
import {
  type KnownRadios,
  nameBefore,
  withoutHardware,
  withRadio,
} from "../../../system/wifi/radio/renamed_radio.ts";
import { RadioSettings } from "../../../system/wifi/radio/settings_schema.ts";
import { FakeHostapd } from "./fake_hostapd.ts";

/** A network with a password per device, unless told otherwise. */
export function plannedNetwork(change: Partial<PlannedBss> = {}): PlannedBss {
  return PlannedBss.parse({
    name: "wlan0",
    bssid: "",
    ssid: "Home",
    ssidHex: "",
    wpa: 2,
    keyManagement: ["WPA-PSK", "WPA-PSK-SHA256", "SAE"],
    isolated: true,
    password: "",
    ...change,
  });
}

/** A radio at 2.4 GHz with one network, unless told otherwise. */
export function plannedRadio(
  settings: Partial<RadioSettings> = {},
  networks: readonly PlannedBss[] = [plannedNetwork()],
): PlannedRadio {
  return PlannedRadio.parse({
    name: networks[0]!.name,
    settings: RadioSettings.parse({ ssid: "Home", hw_mode: "g", channel: 1, ...settings }),
    networks,
  });
}

/** A password of a device; a pending one has no address. */
export function key(
  type: StationKey["type"],
  mac: string,
  psk: string,
  identity = mac,
): StationKey {
  return { identity, mac, type, psk };
}

const FACTS: RadioFacts = {
  name: "wlan0",
  phy: "phy0",
  mac: "02:00:00:00:00:00",
  accessPoint: true,
  perStation: true,
  ciphers: ["CCMP", "CCMP-256"],
  networks: 8,
  bands: [{
    band: "2.4",
    channels: [{ channel: 1, frequency: 2412, maxPower: 20, use: "usable" }],
    ht: 0x107e,
    vht: null,
    he: true,
    eht: false,
  }],
};

/** A radio with a hostapd that is not there, and an access point that is. */
export class FakeRadio {
  readonly folder: string;
  readonly reports: StationReport[] = [];
  readonly starts: string[] = [];
  facts: RadioFacts | null = FACTS;
  /** Which hardware was on the air under which name. */
  known: KnownRadios = {};
  /** What was sent to stations past hostapd. */
  readonly frames: { readonly link: string; readonly kind: string; readonly to: string }[] = [];
  /** Why nothing is sent past hostapd. */
  frameProblem: Problem | null = null;
  /** Why there are no facts. */
  broken: Problem | null = null;
  /** What hostapd complains about in a file; null nothing. */
  complaint: (text: string) => string | null = () => null;
  /** Why hostapd does not come up with a file; null it does. */
  failure: (text: string) => string | null = () => null;
  /** What hostapd says of its state when it starts. */
  firstState = "ENABLED";
  /** Texts that were checked. */
  readonly checked: string[] = [];
  /** What waits until the clock is moved on. */
  #waiting: { readonly until: number; readonly wake: () => void }[] = [];
  #now = 1_000_000;
  #pid = 100;
  #secrets = 0;
  #running: { readonly pid: number; readonly file: string } | null = null;
  readonly networks = new Map<string, FakeHostapd>();

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async use(work: (radio: FakeRadio) => Promise<void>): Promise<void> {
    const radio = new FakeRadio(await Deno.makeTempDir({ prefix: "sluice-radio-" }));
    await Deno.mkdir(`${radio.folder}/control_wlan0`);
    try {
      await work(radio);
    } finally {
      radio.kill();
      await Deno.remove(radio.folder, { recursive: true });
    }
  }

  /** An access point over this radio, as a run of wifid has it. */
  accessPoint(): AccessPoint {
    return new AccessPoint("wlan0", this.#deps());
  }

  /** Works with an access point until the end. */
  async with(work: (point: AccessPoint) => Promise<void>): Promise<void> {
    const point = this.accessPoint();
    try {
      await work(point);
    } finally {
      this.advance(3_600_000);
      await point.close();
    }
  }

  network(name = "wlan0"): FakeHostapd {
    const found = this.networks.get(name);
    if (found === undefined) throw new Error(`${name} is not on the air`);
    return found;
  }

  get pid(): number | null {
    return this.#running?.pid ?? null;
  }

  /** hostapd ends without a word. */
  kill(): void {
    for (const network of this.networks.values()) network.close();
    this.networks.clear();
    this.#running = null;
  }

  /** Moves the clock on, and wakes what waited for that. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    const due = this.#waiting.filter(({ until }) => until <= this.#now);
    this.#waiting = this.#waiting.filter(({ until }) => until > this.#now);
    for (const { wake } of due) wake();
  }

  /** Files that hold something, by name. */
  async files(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for await (const { name, isFile } of Deno.readDir(this.folder)) {
      if (isFile) found.set(name, await Deno.readTextFile(`${this.folder}/${name}`));
    }
    return found;
  }

  #deps(): AccessPointDeps {
    const path = (name: string): string => `${this.folder}/${name}`;
    const controlFolder = (radio: string): string => path(`control_${radio}`);
    const socket = (radio: string, network: string) => ({
      server: `${controlFolder(radio)}/${network}`,
      folder: controlFolder(radio),
      timeoutMs: 1000,
    });
    return {
      path,
      controlFolder,
      read: (name) =>
        Deno.readTextFile(path(name)).catch((error) => {
          if (error instanceof Deno.errors.NotFound) return null;
          throw error;
        }),
      write: (name, text) => Deno.writeTextFile(path(name), text, { mode: 0o600 }),
      remove: (name) =>
        Deno.remove(path(name)).catch((error) => {
          if (!(error instanceof Deno.errors.NotFound)) throw error;
        }),
      list: async () => [...(await this.files()).keys()],
      running: (file) => Promise.resolve(this.#running?.file === file ? this.#running.pid : null),
      start: (file) => this.#start(file),
      stop: (file) => {
        if (this.#running?.file === file) this.kill();
        return Promise.resolve();
      },
      check: async (file) => {
        const text = await Deno.readTextFile(file);
        this.checked.push(text);
        return this.complaint(text);
      },
      control: (radio, network) => new ControlSocket(socket(radio, network)),
      attach: (radio, network, onEvent) => attachEvents(socket(radio, network), onEvent),
      sendFrame: (link, frame) => {
        if (this.frameProblem !== null) throw this.frameProblem;
        this.frames.push({ link, kind: frame.kind, to: frame.to });
      },
      facts: () => this.broken === null ? Promise.resolve(this.facts) : Promise.reject(this.broken),
      nameBefore: (name, mac) => nameBefore(this.known, name, mac),
      remember: (name, mac) => {
        this.known = withRadio(this.known, name, mac);
        return Promise.resolve();
      },
      forget: (mac) => {
        this.known = withoutHardware(this.known, mac);
        return Promise.resolve();
      },
      wifi7: () => false,
      pmk: (psk) => Promise.resolve(`pmk-of-${psk}`),
      secret: () => `nobody-knows-${++this.#secrets}`,
      report: (report) => void this.reports.push(report),
      eventReceived: () => {},
      changed: () => {},
      pause: (milliseconds) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#waiting.push({ until: this.#now + milliseconds, wake: resolve });
        return promise;
      },
      now: () => this.#now,
    };
  }

  async #start(file: string): Promise<void> {
    const text = await Deno.readTextFile(file);
    this.starts.push(text);
    const failure = this.failure(text);
    if (failure !== null) throw new Problem(502, failure);
    this.#running = { pid: ++this.#pid, file };
    for (const [name, network] of networksOf(text)) {
      network.state = this.firstState;
      this.networks.set(name, network);
    }
  }
}

/** The networks of a hostapd with such a file, on the air. */
export function networksOf(text: string): ReadonlyMap<string, FakeHostapd> {
  return new Map(
    text.split(/^(?=bss=)/m).map((block) => {
      const name = /^(?:interface|bss)=(.*)$/m.exec(block)![1]!;
      const folder = /^ctrl_interface=(.*)$/m.exec(block)![1]!;
      const network = new FakeHostapd(`${folder}/${name}`, {
        pskFile: /^wpa_psk_file=(.*)$/m.exec(block)?.[1] ?? null,
        saePasswords: [...block.matchAll(/^sae_password=(.*)$/gm)].map(([, value]) => value!),
      });
      return [name, network];
    }),
  );
}
