import {
  changePasswords,
  type NetworkPasswords,
  passwordsOf,
  pskFileText,
  type StandingPasswords,
  startedWith,
} from "../keys/network_keys.ts";
import type { PlannedBss, PlannedRadio, StationKey } from "../plan_schema.ts";
import { saePwe } from "../hostapd/hostapd_file.ts";
import { ssidBytes } from "../radio/settings_schema.ts";
import type { AttachedNetworks } from "./attached_networks.ts";
import type { AccessPointDeps } from "./ports.ts";

/** WPA2 changes within this many milliseconds share one reload. */
const RELOAD_INTERVAL_MS = 2000;
/** Entries for WPA3 beyond which hostapd is started anew: {@link changePasswords} only adds to them. */
const MAX_SPARE_ENTRIES = 1000;

type Deps = Pick<AccessPointDeps, "read" | "write" | "pmk" | "secret" | "pause" | "now">;

/** The passwords that a running hostapd accepts, and how they change without a restart. */
export class RunningPasswords {
  readonly #deps: Deps;
  readonly #networks: AttachedNetworks;
  #standing = new Map<string, StandingPasswords>();
  #reloaded = -Infinity;
  #reload: Promise<void> | null = null;
  /** The files are newer than what hostapd has read. */
  #isDue = false;

  constructor(deps: Deps, networks: AttachedNetworks) {
    this.#deps = deps;
    this.#networks = networks;
  }

  /** What stands, to be kept for the next run of ours. It holds passwords. */
  get standing(): Readonly<Record<string, StandingPasswords>> {
    return Object.fromEntries(this.#standing);
  }

  /** Identity of the pending device whose WPA3 password is in force; "" none. */
  get waiting(): string {
    const found = [...this.#standing.values()].find(({ waiting }) => waiting !== null);
    return found?.waiting?.identity ?? "";
  }

  /** True while hostapd has not read the last WPA2 keys, and nothing is on its way to make it. */
  get isDue(): boolean {
    return this.#isDue && this.#reload === null;
  }

  /** True when hostapd's list of WPA3 passwords has grown so long that it should be started anew. */
  get isOvergrown(): boolean {
    return [...this.#standing.values()].some(({ entries, sae }) =>
      entries > MAX_SPARE_ENTRIES + 4 * Object.keys(sae).length
    );
  }

  /** Passwords of a network that stand; undefined for one with a password for all. */
  of(network: string): NetworkPasswords | undefined {
    return this.#standing.get(network);
  }

  /** hostapd was started with these, and has read the files. */
  started(radio: PlannedRadio, keys: readonly StationKey[]): void {
    this.#isDue = false;
    this.#standing = new Map(
      own(radio).map((network) => [network.name, startedWith(passwordsOf(network, keys))]),
    );
  }

  /** An earlier run of ours left hostapd with these. */
  resume(standing: Readonly<Record<string, StandingPasswords>>): void {
    this.#standing = new Map(Object.entries(standing));
  }

  /** Writes the file of WPA2 keys of every network; true for those that changed. */
  async writeFiles(
    radio: PlannedRadio,
    keys: readonly StationKey[],
  ): Promise<ReadonlySet<string>> {
    const changed = new Set<string>();
    for (const network of own(radio)) {
      if (await this.#writeFile(network, keys)) changed.add(network.name);
    }
    return changed;
  }

  /** Brings a running hostapd to other passwords. Throws Problem with its words. */
  async change(radio: PlannedRadio, keys: readonly StationKey[]): Promise<void> {
    for (const network of own(radio)) {
      const control = this.#networks.control(network.name);
      const change = changePasswords(
        this.#standing.get(network.name) ?? null,
        passwordsOf(network, keys),
        { secret: this.#deps.secret, hashToElement: saePwe(radio.settings) },
      );
      for (const command of change.commands) await control.order(command);
      this.#standing.set(network.name, change.next);
      if (await this.#writeFile(network, keys)) this.#isDue = true;
      // The file is in force before a station whose key is gone can come back.
      if (this.#isDue) await this.#scheduleReload(radio, change.disconnect.length > 0);
      for (const mac of change.disconnect) await this.#networks.disconnect(network.name, mac);
    }
  }

  /** Waits for a reload that is due. */
  async settled(): Promise<void> {
    await this.#reload;
  }

  async #writeFile(network: PlannedBss, keys: readonly StationKey[]): Promise<boolean> {
    const { wpa2 } = passwordsOf(network, keys);
    const ssid = ssidBytes({ ssid: network.ssid, ssid_hex: network.ssidHex });
    const pmks = new Map<string, string>();
    for (const { psk } of wpa2) pmks.set(psk, await this.#deps.pmk(psk, ssid));
    const text = pskFileText(wpa2, (psk) => pmks.get(psk)!);
    const name = `${network.name}.psk`;
    if (await this.#deps.read(name) === text) return false;
    await this.#deps.write(name, text);
    return true;
  }

  /** Lets hostapd read the WPA2 keys: at once, or together with those of the next two seconds. */
  async #scheduleReload(radio: PlannedRadio, isUrgent: boolean): Promise<void> {
    const wait = this.#reloaded + RELOAD_INTERVAL_MS - this.#deps.now();
    if (isUrgent || wait <= 0) {
      await this.#reloadKeys(radio);
      return;
    }
    this.#reload ??= this.#deps.pause(wait).then(() => {
      this.#reload = null;
      // An urgent one may have been earlier.
      return this.#isDue ? this.#reloadKeys(radio) : undefined;
    }).catch(() => {
      // It is due still, or hostapd is gone and reads the file at its next start.
      this.#reload = null;
    });
  }

  async #reloadKeys(radio: PlannedRadio): Promise<void> {
    this.#reloaded = this.#deps.now();
    for (const { name, keyManagement } of own(radio)) {
      if (keyManagement.every((word) => word === "SAE")) continue;
      await this.#networks.control(name).order("RELOAD_WPA_PSK");
    }
    this.#isDue = false;
  }
}

/** The networks with a password per device. */
function own({ networks }: PlannedRadio): readonly PlannedBss[] {
  return networks.filter(({ password, wpa }) => password === "" && wpa !== 0);
}
