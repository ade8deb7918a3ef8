import { Problem } from "../../core/errors/problem.ts";
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
import { pskFile } from "./radio_files.ts";

/** WPA2 changes within this many milliseconds share one reload. */
const RELOAD_INTERVAL_MS = 2000;
/** Entries for WPA3 beyond which hostapd is started anew: {@link changePasswords} only adds to them. */
const MAX_SPARE_ENTRIES = 1000;

type Deps = Pick<AccessPointDeps, "read" | "write" | "pmk" | "secret" | "pause" | "now">;

/** The passwords that a running hostapd accepts, and how they change without a restart. */
export class RunningPasswords {
  readonly #deps: Deps;
  readonly #networks: AttachedNetworks;
  readonly #reloadDone: () => void;
  #standing = new Map<string, StandingPasswords>();
  /** When each network read its WPA2 keys last. */
  readonly #reloaded = new Map<string, number>();
  /** WPA2 keys that are in the files of networks that are to read them. */
  readonly #unread = new Map<string, NetworkPasswords>();
  #later: Promise<void> | null = null;

  /** `reloaded`: called when WPA2 keys that waited for a reload are in force. */
  constructor(
    deps: Deps,
    { networks, reloaded }: { readonly networks: AttachedNetworks; readonly reloaded: () => void },
  ) {
    this.#deps = deps;
    this.#networks = networks;
    this.#reloadDone = reloaded;
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

  /** hostapd was started with these. */
  started(radio: PlannedRadio, keys: readonly StationKey[]): void {
    this.#unread.clear();
    this.#standing = new Map(
      own(radio).map((network) => [network.name, startedWith(passwordsOf(network, keys))]),
    );
  }

  /** An earlier run of ours left hostapd with these. */
  resume(standing: Readonly<Record<string, StandingPasswords>>): void {
    this.#unread.clear();
    this.#standing = new Map(Object.entries(standing));
  }

  /** Writes the file of WPA2 keys of every network. */
  async writeFiles(radio: PlannedRadio, keys: readonly StationKey[]): Promise<void> {
    for (const network of own(radio)) await this.#writeFile(network, keys);
  }

  /**
   * Brings a running hostapd to other passwords; true where that was needed. Throws Problem with its
   * words; what it did not take is sent again by the next call.
   */
  async change(radio: PlannedRadio, keys: readonly StationKey[]): Promise<boolean> {
    let isChanged = false;
    for (const network of own(radio)) {
      const { name } = network;
      const control = this.#networks.control(name);
      const wanted = passwordsOf(network, keys);
      const change = changePasswords(this.#standing.get(name) ?? null, wanted, {
        secret: this.#deps.secret,
        hashToElement: saePwe(radio.settings),
      });
      await this.#writeFile(network, keys);
      for (const command of change.commands) await control.order(command);
      // The keys are in force before a station whose key is gone can come back.
      const isUrgent = change.disconnect.length > 0;
      const isRead = !change.reload || await this.#reloadSoon(network, wanted, isUrgent);
      for (const mac of change.disconnect) await this.#networks.disconnect(name, mac);
      const { wpa2 } = isRead ? change.next : this.#standing.get(name) ?? change.next;
      this.#standing.set(name, { ...change.next, wpa2 });
      isChanged ||= change.reload || change.commands.length > 0;
    }
    return isChanged;
  }

  /** Waits for a reload that is due. */
  async settled(): Promise<void> {
    await this.#later;
  }

  async #writeFile(network: PlannedBss, keys: readonly StationKey[]): Promise<void> {
    const { wpa2 } = passwordsOf(network, keys);
    const ssid = ssidBytes({ ssid: network.ssid, ssid_hex: network.ssidHex });
    const pmks = new Map<string, string>();
    for (const { psk } of wpa2) pmks.set(psk, await this.#deps.pmk(psk, ssid));
    const text = pskFileText(wpa2, (psk) => pmks.get(psk)!);
    const name = pskFile(network.name);
    if (await this.#deps.read(name) !== text) await this.#deps.write(name, text);
  }

  /**
   * Lets hostapd read the WPA2 keys of a network: at once, or together with those of the next two
   * seconds. True when it has read them.
   */
  async #reloadSoon(
    network: PlannedBss,
    wanted: NetworkPasswords,
    isUrgent: boolean,
  ): Promise<boolean> {
    const { name } = network;
    const wait = (this.#reloaded.get(name) ?? -Infinity) + RELOAD_INTERVAL_MS - this.#deps.now();
    if (isUrgent || wait <= 0) {
      await this.#reload(name);
      return true;
    }
    this.#unread.set(name, wanted);
    this.#later ??= this.#deps.pause(wait).then(() => this.#reloadUnread());
    return false;
  }

  async #reload(name: string): Promise<void> {
    this.#unread.delete(name);
    this.#reloaded.set(name, this.#deps.now());
    await this.#networks.control(name).order("RELOAD_WPA_PSK");
  }

  async #reloadUnread(): Promise<void> {
    this.#later = null;
    for (const [name, { wpa2 }] of [...this.#unread]) {
      const standing = this.#standing.get(name);
      try {
        await this.#reload(name);
        if (standing !== undefined) this.#standing.set(name, { ...standing, wpa2 });
      } catch (error) {
        // hostapd is gone; what it reads at its next start is the same file.
        if (!(error instanceof Problem)) throw error;
      }
    }
    this.#reloadDone();
  }
}

/** The networks with a password per device. */
function own({ networks }: PlannedRadio): readonly PlannedBss[] {
  return networks.filter(({ password, wpa }) => password === "" && wpa !== 0);
}
