import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import type { Control } from "../access_point/ports.ts";
import { statusLines } from "../hostapd/replies.ts";
import { problemIn, signalOf, stateOf } from "./replies.ts";
import { JoinedNetwork, type PlannedSupplicant, type SupplicantState } from "./schema.ts";
import {
  networkChange,
  networkSettings,
  type StandingNetwork,
  supplicantFile,
} from "./supplicant_file.ts";

/** Milliseconds before what failed is tried again. */
const RETRY_INTERVAL_MS = 10_000;
/** Milliseconds without a connection until that is said, where nothing says why. */
const PATIENCE_MS = 45_000;
/** Looks in a row at which a wpa_supplicant that still runs may not answer. */
const MAX_MISSED_LOOKS = 3;
/** dB by which the signal changes before it is reported again. */
const SIGNAL_STEP = 5;

const OFF = { ssid: "", bssid: "", frequency: 0, signal: 0 } as const;

const Kept = z.object({
  pid: z.int(),
  country: z.string(),
  networks: z.array(z.object({ id: z.int(), network: JoinedNetwork })),
});

/** What runs. */
interface Standing {
  readonly country: string;
  readonly networks: readonly StandingNetwork[];
}

/** What a supplicant reaches the machine by. */
export interface SupplicantDeps {
  /** Private files, by name; null where there is none. Written with mode 0600, whole or not at all. */
  readonly read: (name: string) => Promise<string | null>;
  readonly write: (name: string, text: string) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  readonly path: (name: string) => string;
  /** Folder of the control socket, which exists. */
  readonly controlFolder: (link: string) => string;
  readonly running: (file: string) => Promise<number | null>;
  readonly start: (link: string, file: string) => Promise<void>;
  readonly stop: (file: string) => Promise<void>;
  readonly control: (link: string) => Control;
  readonly attach: (
    link: string,
    onEvent: (text: string) => void,
  ) => Promise<{ close(): void }>;
  /** True while the interface is there. */
  readonly exists: (link: string) => Promise<boolean>;
  readonly changed: (state: SupplicantState) => void;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Prefix of the files; what follows is the interface. */
export const SUPPLICANT_PREFIX = "wpa_";

/**
 * One uplink by Wi-Fi and its wpa_supplicant, which goes on when wifid ends and is taken over by the
 * next one. Networks change without a restart, and a connection whose network stays is not touched.
 */
export class Supplicant {
  readonly name: string;
  readonly #deps: SupplicantDeps;
  #last: Promise<unknown> = Promise.resolve();
  #wanted: PlannedSupplicant | null = null;
  #control: Control | null = null;
  #events: { close(): void } | null = null;
  /** What runs; null nothing, or what is not known yet. */
  #standing: Standing | null = null;
  #isDue = false;
  #retryAt = 0;
  #missedLooks = 0;
  #searchingSince = 0;
  #problem = "";
  #state: SupplicantState;
  #closed = false;

  constructor(name: string, deps: SupplicantDeps) {
    this.name = name;
    this.#deps = deps;
    this.#state = { name, state: "stopped", problem: "", ...OFF };
  }

  get state(): SupplicantState {
    return this.#state;
  }

  /** Brings the uplink to a plan. What fails is in the state, and tried again by {@link watch}. */
  apply(wanted: PlannedSupplicant): Promise<void> {
    this.#wanted = wanted;
    return this.#queue(async () => {
      if (this.#wanted === wanted) await this.#bring(wanted);
    });
  }

  /** Ends the connection; no password of it stays behind. */
  retire(): Promise<void> {
    this.#wanted = null;
    return this.#queue(async () => {
      if (this.#wanted !== null) return;
      await this.#end();
      for (const name of [this.#file, this.#keptFile]) await this.#deps.remove(name);
      this.#set({ state: "stopped", problem: "", ...OFF });
    });
  }

  /** Looks how the connection does, and mends what is not as planned. */
  watch(): Promise<void> {
    return this.#queue(async () => {
      const wanted = this.#wanted;
      if (wanted === null) return;
      if (this.#standing === null || this.#isDue) {
        if (this.#deps.now() >= this.#retryAt) await this.#bring(wanted);
        return;
      }
      if (await this.#look()) return;
      const isAlive = await this.#deps.running(this.#deps.path(this.#file)) !== null;
      if (isAlive && ++this.#missedLooks < MAX_MISSED_LOOKS) return;
      await this.#end();
      await this.#bring(wanted);
    });
  }

  /** Ends our part; wpa_supplicant goes on. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
    this.#detach();
  }

  get #file(): string {
    return `${SUPPLICANT_PREFIX}${this.name}.conf`;
  }

  get #keptFile(): string {
    return `${SUPPLICANT_PREFIX}${this.name}.json`;
  }

  #queue(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(async () => {
      if (!this.#closed) await work();
    });
    this.#last = done.catch(() => {});
    return done;
  }

  async #bring(wanted: PlannedSupplicant): Promise<void> {
    this.#isDue = true;
    this.#retryAt = this.#deps.now() + RETRY_INTERVAL_MS;
    try {
      if (!await this.#deps.exists(this.name)) {
        await this.#end();
        this.#set({ state: "missing", problem: "", ...OFF });
        return;
      }
      await this.#follow(wanted);
      this.#isDue = false;
      await this.#look();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (this.#standing === null) {
        this.#set({ state: "failed", problem: error.message.slice(0, 500), ...OFF });
      }
      throw error;
    }
  }

  async #follow(wanted: PlannedSupplicant): Promise<void> {
    const path = this.#deps.path(this.#file);
    const text = supplicantFile(wanted, this.#deps.controlFolder(this.name));
    const pid = await this.#deps.running(path);
    if (pid === null) {
      this.#detach();
      await this.#deps.write(this.#file, text);
      await this.#deps.start(this.name, path);
      this.#standing = fromFile(wanted);
      this.#searchingSince = this.#deps.now();
      this.#problem = "";
    } else {
      this.#standing ??= await this.#adopted(pid);
    }
    await this.#attach();
    // The next start takes it from here.
    if (await this.#deps.read(this.#file) !== text) await this.#deps.write(this.#file, text);
    if (this.#standing === null || !await this.#change(wanted)) await this.#reload(wanted);
    await this.#keep();
  }

  /** What an earlier run of ours left running; null where that is not known. */
  async #adopted(pid: number): Promise<Standing | null> {
    const text = await this.#deps.read(this.#keptFile);
    try {
      const kept = text === null ? null : Kept.parse(JSON.parse(text));
      return kept?.pid === pid ? kept : null;
    } catch {
      // A damaged file means the same as none.
      return null;
    }
  }

  /** Changes networks in place; false where wpa_supplicant does not take it. */
  async #change(wanted: PlannedSupplicant): Promise<boolean> {
    const control = this.#control!;
    const { country, networks } = this.#standing!;
    const { remove, set, add, kept } = networkChange(networks, wanted.networks);
    const standing = [...kept];
    try {
      if (country !== wanted.country && wanted.country !== "") {
        await control.order(`SET country ${wanted.country}`);
      }
      for (const id of remove) await control.order(`REMOVE_NETWORK ${id}`);
      for (const { id, line: [key, value] } of set) {
        await control.order(`SET_NETWORK ${id} ${key} ${value}`);
      }
      for (const network of add) {
        const id = Number(/^\d{1,6}$/.exec(await control.request("ADD_NETWORK"))?.[0] ?? NaN);
        if (!Number.isInteger(id)) return false;
        for (const [key, value] of networkSettings(network)) {
          await control.order(`SET_NETWORK ${id} ${key} ${value}`);
        }
        await control.order(`ENABLE_NETWORK ${id}`);
        standing.push({ id, network });
      }
    } catch (error) {
      // Its words may quote a setting: they are not passed on.
      if (error instanceof Problem && error.status === 502) return false;
      throw error;
    }
    if (remove.length > 0 || add.length > 0) this.#problem = "";
    this.#standing = { country: wanted.country, networks: standing };
    return true;
  }

  /** Lets wpa_supplicant read its file anew: it numbers networks as they stand there. */
  async #reload(wanted: PlannedSupplicant): Promise<void> {
    await this.#control!.order("RECONFIGURE");
    this.#problem = "";
    this.#standing = fromFile(wanted);
  }

  async #keep(): Promise<void> {
    const pid = await this.#deps.running(this.#deps.path(this.#file));
    if (pid === null || this.#standing === null) return;
    const text = JSON.stringify({ pid, ...this.#standing });
    if (await this.#deps.read(this.#keptFile) !== text) {
      await this.#deps.write(this.#keptFile, text);
    }
  }

  async #attach(): Promise<void> {
    this.#control ??= this.#deps.control(this.name);
    this.#events ??= await this.#deps.attach(this.name, (event) => this.#happened(event));
  }

  #detach(): void {
    this.#control?.close();
    this.#events?.close();
    this.#control = null;
    this.#events = null;
  }

  async #end(): Promise<void> {
    this.#detach();
    await this.#deps.stop(this.#deps.path(this.#file));
    this.#standing = null;
    this.#missedLooks = 0;
  }

  #nameOf(id: number): string | null {
    return this.#standing?.networks.find((one) => one.id === id)?.network.name ?? null;
  }

  #happened(event: string): void {
    const problem = problemIn(event, (id) => this.#nameOf(id));
    if (problem !== null) this.#problem = problem;
    if (!event.startsWith("CTRL-EVENT-")) return;
    this.watch().catch(() => {
      // The next look finds the same.
    });
  }

  /** Reads the state; false where wpa_supplicant does not answer. */
  async #look(): Promise<boolean> {
    const control = this.#control;
    if (control === null) return false;
    let lines: Readonly<Record<string, string>>, signal = 0;
    try {
      lines = statusLines(await control.request("STATUS"));
      if (lines.wpa_state === undefined) return false;
      if (lines.wpa_state === "COMPLETED") signal = signalOf(await control.request("SIGNAL_POLL"));
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
    this.#missedLooks = 0;
    const state = stateOf(lines.wpa_state);
    if (state === "connected") {
      this.#problem = "";
      this.#searchingSince = this.#deps.now();
      this.#set({
        state,
        ssid: this.#nameOf(Number(lines.id)) ?? "",
        bssid: /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.exec(lines.bssid ?? "")?.[0] ?? "",
        frequency: Number(/^\d{1,5}$/.exec(lines.freq ?? "")?.[0] ?? 0),
        signal: Math.abs(signal - this.#state.signal) < SIGNAL_STEP ? this.#state.signal : signal,
        problem: "",
      });
      return true;
    }
    this.#set({ state, ...OFF, problem: this.#problem || this.#waiting() });
    return true;
  }

  /** What is said of an uplink that just does not connect. */
  #waiting(): string {
    if (this.#standing?.networks.length === 0) return "";
    const waits = this.#deps.now() - this.#searchingSince > PATIENCE_MS;
    return waits ? "It has not connected to any of its networks" : "";
  }

  #set(change: Partial<SupplicantState>): void {
    const next = { ...this.#state, ...change };
    if (JSON.stringify(next) === JSON.stringify(this.#state)) return;
    this.#state = next;
    this.#deps.changed(next);
  }
}

/** wpa_supplicant numbers the networks of its file from 0. */
function fromFile({ country, networks }: PlannedSupplicant): Standing {
  return { country, networks: networks.map((network, id) => ({ id, network })) };
}
