import { isRecord } from "../../core/config/json.ts";
import type { RadioFacts } from "../control_schema.ts";
import { hostapdFile } from "../hostapd/hostapd_file.ts";
import { passwordsOf, saeValues, type StandingPasswords } from "../keys/network_keys.ts";
import type { PlannedRadio, StationKey } from "../plan_schema.ts";
import { bandOf } from "../radio/modes.ts";
import type { AccessPointDeps } from "./ports.ts";

/** What hostapd has on the air: the plan, or what took its place. */
export interface OnAir {
  readonly radio: PlannedRadio;
  readonly as: "plan" | "worked" | "failsafe";
}

/** What is kept of a running hostapd, so that the next run can adopt it. */
export interface Kept {
  readonly pid: number;
  /** The configuration that was planned, without passwords. */
  readonly frame: string;
  readonly onAir: OnAir;
  /** Why it is not the plan. */
  readonly problem: string;
  readonly standing: Readonly<Record<string, StandingPasswords>>;
}

/** Begins the names of configurations that are only checked. */
export const CHECK_PREFIX = "check_";

/** Name of the file of a network's WPA2 keys. */
export function pskFile(network: string): string {
  return `${network}.psk`;
}

/** Radio of a hostapd configuration, by the name of its file; null for another file. */
export function radioOfFile(name: string): string | null {
  return /^hostapd_(.+)\.conf$/.exec(name)?.[1] ?? null;
}

type Deps = Pick<
  AccessPointDeps,
  "read" | "write" | "remove" | "list" | "path" | "controlFolder" | "wifi7" | "check" | "secret"
>;

/** The private files of a radio: hostapd's configuration, and what the next run is to know. */
export class RadioFiles {
  readonly #radio: string;
  readonly #deps: Deps;

  constructor(radio: string, deps: Deps) {
    this.#radio = radio;
    this.#deps = deps;
  }

  /** Path of hostapd's configuration, by which its process is known. */
  get path(): string {
    return this.#deps.path(this.#name);
  }

  get #name(): string {
    return `hostapd_${this.#radio}.conf`;
  }

  get #keptName(): string {
    return `radio_${this.#radio}.json`;
  }

  /** The configuration with the passwords of these keys. */
  text(radio: PlannedRadio, facts: RadioFacts | null, keys: readonly StationKey[]): string {
    const band = bandOf(radio.settings);
    return hostapdFile(radio, {
      controlFolder: this.#deps.controlFolder(radio.name),
      capabilities: facts?.bands.find((one) => one.band === band) ?? null,
      ciphers: facts?.ciphers ?? null,
      wifi7: this.#deps.wifi7(),
      keysOf: (name) => ({
        pskFile: this.#deps.path(pskFile(name)),
        saePasswords: saeValues(
          passwordsOf(radio.networks.find((network) => network.name === name)!, keys),
        ),
      }),
    });
  }

  async write(text: string): Promise<void> {
    await this.#deps.write(this.#name, text);
  }

  /** Lets hostapd read a configuration that can touch no radio; "" where it has no complaint. */
  async complaints(radio: PlannedRadio, facts: RadioFacts | null): Promise<string> {
    const name = `${CHECK_PREFIX}${crypto.randomUUID()}.conf`;
    await this.#deps.write(name, harmless(this.text(radio, facts, []), this.#deps.secret()));
    try {
      return await this.#deps.check(this.#deps.path(name)) ?? "";
    } finally {
      await this.#deps.remove(name);
    }
  }

  /** What an earlier run of ours kept; null where that is nothing, or damaged. */
  async readKept(): Promise<Kept | null> {
    const text = await this.#deps.read(this.#keptName);
    try {
      const raw: unknown = text === null ? null : JSON.parse(text);
      return isRecord(raw) && isRecord(raw["standing"]) && isRecord(raw["onAir"])
        ? raw as unknown as Kept
        : null;
    } catch {
      return null;
    }
  }

  async writeKept(kept: Kept): Promise<void> {
    await this.#deps.write(this.#keptName, JSON.stringify(kept));
  }

  /** Removes the files of the radio and of its networks, but for those. */
  async removeExcept(names: readonly string[]): Promise<void> {
    const isOurs = (name: string): boolean =>
      name === this.#name || name === this.#keptName || name === pskFile(this.#radio) ||
      (name.startsWith(`${this.#radio}.`) && name.endsWith(pskFile("")));
    for (const name of await this.#deps.list()) {
      if (isOurs(name) && !names.includes(name)) await this.#deps.remove(name);
    }
  }
}

/** A configuration that can touch no radio and needs no other file. */
function harmless(text: string, password: string): string {
  return text.replace(/^driver=.*$/m, "driver=none")
    .replace(/^ctrl_interface=.*\n/gm, "")
    // The files of keys may not be there yet; any password does for a look at the rest.
    .replace(/^wpa_psk_file=.*$/gm, `wpa_passphrase=${password}`);
}
