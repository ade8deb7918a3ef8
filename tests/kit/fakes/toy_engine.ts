import { copySync } from "../builders/copy_tree.ts";
import { join } from "node:path";
import * as z from "zod";
import { Bus, type BusEvent } from "../../../system/core/events/bus.ts";
import type { Caller, Command } from "../../../system/core/engine/change.ts";
import type { Document, Documents } from "../../../system/core/config/document.ts";
import { Engine, type EngineOptions, openEngine } from "../../../system/core/engine/engine.ts";
import { isRecord } from "../../../system/core/config/json.ts";
import { openLog } from "../../../system/core/log/log.ts";
import { invalid, Problem } from "../../../system/core/errors/problem.ts";
import { type Database, openStore, type Store } from "../../../system/core/store/open.ts";
import { Notices } from "../../../system/notices/board.ts";
import { type ToyConfig, ToyDevice, ToyRule } from "./toy_schema.ts";
import { ToyHost, toyPlanner } from "./toy_kernel.ts";

const devices: Document<ToyConfig["devices"]> = {
  path: "devices/devices.json",
  topic: "devices",
  schema: z.record(z.string(), ToyDevice),
  fallback: {},
  read: (raw) => {
    if (!isRecord(raw)) throw invalid("", "Write an object of devices");
    const value: Record<string, ToyDevice> = {};
    const rejected = [];
    for (const [name, entry] of Object.entries(raw)) {
      const device = ToyDevice.safeParse(entry);
      if (device.success) value[name] = device.data;
      else rejected.push({ pointer: `/${name}`, message: "This is no device", raw: entry });
    }
    return { value, rejected };
  },
  secret: (path) => path.at(-1) === "Psk",
};

const rules: Document<readonly ToyRule[]> = {
  path: "base/rules.json",
  topic: "rules",
  schema: z.array(ToyRule),
  fallback: [],
  read: (raw) => {
    const value = z.array(ToyRule).safeParse(raw);
    if (!value.success) throw invalid("", "Write a list of rules");
    return { value: value.data, rejected: [] };
  },
  keyOf: (element) => (element as ToyRule).Name,
};

/** The documents of a toy configuration. */
export const toyDocuments: Documents<ToyConfig> = { devices, rules };

/** A caller within the machine. */
export const ADMIN: Caller = { by: "admin", from: null, connection: null };

/** Adds or replaces a device. */
export function putDevice(name: string, device: Partial<ToyDevice> = {}): Command<ToyConfig> {
  return {
    kind: "device.put",
    summary: `Put ${name}`,
    reduce: (config) => {
      const before = config.devices[name] ?? { Name: "", Open: false, Psk: "" };
      const after = { ...before, ...device };
      return [{ ...config, devices: { ...config.devices, [name]: after } }, undefined];
    },
  };
}

/** Replaces the rules. */
export function putRules(...names: string[]): Command<ToyConfig> {
  return {
    kind: "rules.put",
    summary: `Put rules ${names.join(" ")}`,
    reduce: (config) => [
      { ...config, rules: names.map((Name, index) => ({ Name, Port: index + 1 })) },
      undefined,
    ],
  };
}

/** An engine over real files and a real store, with a toy kernel and clocks that stand still. */
export class ToyHome implements AsyncDisposable {
  readonly folder: string;
  readonly host: ToyHost;
  /** Boot clock in seconds. */
  clock = 1000;
  /** Wall clock in milliseconds. */
  time = 1_700_000_000_000;
  readonly events: BusEvent[] = [];
  /** True: the store refuses every batch, as a failing disk does. */
  failBatches = false;
  /** True: nor does it forget anything. */
  failDeletes = false;
  #engine: Engine<ToyConfig> | null = null;
  #store: Store | null = null;
  #notices: Notices | null = null;

  private constructor(folder: string, host: ToyHost) {
    this.folder = folder;
    this.host = host;
  }

  static async make(): Promise<ToyHome> {
    const folder = await Deno.makeTempDir({ prefix: "sluice-toy-" });
    await Deno.mkdir(join(folder, "state"));
    return new ToyHome(folder, new ToyHost());
  }

  /** A home that is there already. */
  static at(folder: string): ToyHome {
    return new ToyHome(folder, new ToyHost());
  }

  /** A copy of what lies on disk at this moment, as a power cut would leave it. */
  cut(host = new ToyHost()): ToyHome {
    const folder = Deno.makeTempDirSync({ prefix: "sluice-toy-" });
    copySync(this.folder, folder);
    const home = new ToyHome(folder, host);
    home.clock = this.clock;
    home.time = this.time;
    return home;
  }

  get engine(): Engine<ToyConfig> {
    if (this.#engine === null) throw new Error("Open it first");
    return this.#engine;
  }

  get db(): Database {
    if (this.#store === null) throw new Error("Open it first");
    return this.#store.db;
  }

  get notices(): Notices {
    if (this.#notices === null) throw new Error("Open it first");
    return this.#notices;
  }

  async open(options: Partial<EngineOptions<ToyConfig>> = {}): Promise<Engine<ToyConfig>> {
    await this.close();
    this.#store = await openStore(join(this.folder, "state", "sluice.db"));
    const now = (): number => this.time;
    const bus = new Bus(now);
    bus.subscribe((event) => this.events.push(event));
    this.#notices = new Notices({ db: this.#store.db, bus, now });
    this.#engine = await openEngine({
      documents: toyDocuments,
      home: this.folder,
      db: this.#failing(this.#store.db),
      host: this.host,
      planner: toyPlanner,
      bus,
      notices: this.#notices,
      log: openLog({ process: "test", human: false, write: () => {} }),
      now,
      bootClock: () => this.clock,
      live: false,
      tagKey: new Uint8Array(32),
      ...options,
    });
    return this.#engine;
  }

  #failing(db: Database): Database {
    return new Proxy(db, {
      get: (target, name) => {
        if (name === "batch" && this.failBatches) {
          return () => Promise.reject(new Error("disk I/O error"));
        }
        if (name === "delete" && this.failDeletes) {
          return () => ({ where: () => Promise.reject(new Error("disk I/O error")) });
        }
        const member = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  }

  /** Closes the engine and the store, as a stop in good order does. */
  async close(): Promise<void> {
    await this.#engine?.close();
    this.#store?.close();
    this.#engine = null;
    this.#store = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await Deno.remove(this.folder, { recursive: true });
  }

  path(file: string): string {
    return join(this.folder, "configs", file);
  }

  async read(file: string): Promise<unknown> {
    return JSON.parse(await Deno.readTextFile(this.path(file)));
  }

  async write(file: string, content: unknown): Promise<void> {
    await Deno.mkdir(join(this.path(file), ".."), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await Deno.writeTextFile(this.path(file), text);
  }

  /** Names of files under `configs`, staged ones among them. */
  files(): readonly string[] {
    return ["base", "devices"].flatMap((folder) => {
      try {
        return [...Deno.readDirSync(this.path(folder))].map((entry) => `${folder}/${entry.name}`);
      } catch {
        return [];
      }
    }).sort();
  }

  /** Kinds of the notices that are open. */
  async openNotices(): Promise<readonly string[]> {
    return (await this.notices.list({ limit: 100 })).items.map((notice) => notice.kind).sort();
  }
}

/** The status of the problem that a promise ends in. */
export async function statusOf(promise: Promise<unknown>): Promise<number> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Problem) return error.status;
    throw error;
  }
  return 200;
}
