import { join } from "node:path";
import { removeFile } from "../../core/config/files.ts";
import { Problem } from "../../core/errors/problem.ts";
import { InterfaceName } from "../../core/net/grammar.ts";
import type { Log } from "../../core/log/log.ts";
import { attachEvents, ControlSocket } from "../../host/sockets/hostapd_socket.ts";
import {
  startSupplicant,
  stopSupplicant,
  supplicantRunning,
} from "../../host/tools/wpa_supplicant.ts";
import { UNFINISHED, writePrivate } from "../private_files.ts";
import type { PlannedSupplicant, SupplicantState } from "./schema.ts";
import { Supplicant, SUPPLICANT_PREFIX, type SupplicantDeps } from "./supplicant.ts";

/** Options of {@link Supplicants}. */
export interface SupplicantsOptions {
  /** Folder of the control sockets. */
  readonly folder: string;
  /** Folder of the files, of mode 0700. */
  readonly files: string;
  readonly exists: (link: string) => Promise<boolean>;
  /** Called with all states when one of them changed. */
  readonly report: (states: readonly SupplicantState[]) => void;
  readonly log: Log;
}

/** The uplinks by Wi-Fi of a plan, each with its wpa_supplicant. */
export class Supplicants {
  readonly #options: SupplicantsOptions;
  readonly #all = new Map<string, Supplicant>();
  readonly #looking = new Set<Supplicant>();
  readonly #logged = new Map<string, string>();
  #planned: ReadonlySet<string> = new Set();

  constructor(options: SupplicantsOptions) {
    this.#options = options;
  }

  get states(): readonly SupplicantState[] {
    return [...this.#all.values()].filter(({ name }) => this.#planned.has(name))
      .map(({ state }) => state);
  }

  /** Sets all of them to work at once. */
  async apply(plan: readonly PlannedSupplicant[]): Promise<void> {
    this.#planned = new Set(plan.map(({ name }) => name));
    for await (const { name } of Deno.readDir(this.#options.files)) {
      // What a crash left may hold a password.
      if (name.startsWith(SUPPLICANT_PREFIX) && name.endsWith(UNFINISHED)) {
        await removeFile(join(this.#options.files, name));
      }
      // An earlier run may have had uplinks that are no longer planned.
      const link = new RegExp(`^${SUPPLICANT_PREFIX}(.+)\\.(conf|json)$`).exec(name)?.[1];
      if (link !== undefined && InterfaceName.safeParse(link).success) await this.#of(link);
    }
    for (const [name, one] of this.#all) {
      if (!this.#planned.has(name)) one.retire().catch(this.#notDone);
    }
    for (const wanted of plan) (await this.#of(wanted.name)).apply(wanted).catch(this.#notDone);
    this.#options.report(this.states);
  }

  /** Looks at all of them; one that takes long holds up no other. */
  watch(): void {
    for (const one of this.#all.values()) {
      if (this.#looking.has(one)) continue;
      this.#looking.add(one);
      one.watch().catch(this.#notDone).finally(() => this.#looking.delete(one));
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all.values()].map((one) => one.close()));
  }

  /** What was not done is tried again by {@link watch}; a Problem is in the state. */
  readonly #notDone = (error: unknown): void => {
    const level = error instanceof Problem ? "debug" : "error";
    this.#options.log[level]("wifi.uplink_failed", "A Wi-Fi uplink could not be set up", { error });
  };

  async #of(link: string): Promise<Supplicant> {
    let one = this.#all.get(link);
    if (one === undefined) {
      await Deno.mkdir(this.#controlFolder(link), { recursive: true, mode: 0o750 });
      this.#all.set(link, one = new Supplicant(link, this.#deps()));
    }
    return one;
  }

  #controlFolder(link: string): string {
    return join(this.#options.folder, `supplicant_${InterfaceName.parse(link)}`);
  }

  #deps(): SupplicantDeps {
    const { files, folder, exists, report } = this.#options;
    const socket = (link: string) => ({
      server: join(this.#controlFolder(link), link),
      folder,
      program: "wpa_supplicant",
    });
    return {
      read: async (name) => {
        try {
          return await Deno.readTextFile(join(files, name));
        } catch (error) {
          if (error instanceof Deno.errors.NotFound) return null;
          throw error;
        }
      },
      write: (name, text) => writePrivate(join(files, name), text),
      remove: (name) => removeFile(join(files, name)),
      path: (name) => join(files, name),
      controlFolder: (link) => this.#controlFolder(link),
      running: supplicantRunning,
      start: startSupplicant,
      stop: stopSupplicant,
      control: (link) => new ControlSocket(socket(link)),
      attach: (link, onEvent) => attachEvents(socket(link), onEvent),
      exists,
      changed: (state) => {
        this.#logState(state);
        report(this.states);
      },
      now: () => performance.now(),
    };
  }

  #logState({ name, state, ssid, problem }: SupplicantState): void {
    const where = state === "connected" ? `${name} is connected to ${ssid}` : `${name}: ${state}`;
    const line = problem === "" ? where : `${where}: ${problem}`;
    if (this.#logged.get(name) === line) return;
    this.#logged.set(name, line);
    const level = problem === "" && state !== "missing" ? "info" : "warn";
    this.#options.log[level]("wifi.uplink_state", line, { uplink: name });
  }
}
