import { fileURLToPath } from "node:url";
import { Problem } from "../../../system/core/errors/problem.ts";
import type { ManagementFrame } from "../../../system/wifi/access_point/station_frames.ts";
import type { WifiMachine } from "../../../system/wifi/machine.ts";
import type { FakeHostapd } from "./fake_hostapd.ts";
import { networksOf } from "./fake_radio.ts";

const LIST = Deno.readTextFileSync(
  fileURLToPath(new URL("../../unit/wifi/iw/output/list.txt", import.meta.url)),
);

/** A hostapd that runs. */
interface RunningHostapd {
  readonly pid: number;
  readonly networks: ReadonlyMap<string, FakeHostapd>;
}

/** A machine with radios and a hostapd that are not there, for a whole wifid. */
export class FakeMachine implements WifiMachine {
  /** Radios by interface, with the address of their hardware. */
  readonly radios = new Map([["wlan0", "02:00:00:00:20:00"]]);
  /** What `iw` prints of the stations of each interface. */
  readonly stations = new Map<string, string>();
  /** What was sent to stations past hostapd. */
  readonly frames: { readonly link: string; readonly frame: ManagementFrame }[] = [];
  /** Texts of the files that hostapd was started with. */
  readonly starts: string[] = [];
  /** What is not installed. */
  readonly missing = new Set<"iw" | "hostapd">();
  /** What hostapd complains about in a file; null nothing. */
  complaint: (text: string) => string | null = () => null;
  /** Why hostapd does not come up with a file; null it does. */
  failure: (text: string) => string | null = () => null;
  readonly #running = new Map<string, RunningHostapd>();
  #changed: () => void = () => {};
  #pid = 100;

  /** The fake of a network that is on the air. */
  network(name: string): FakeHostapd {
    for (const { networks } of this.#running.values()) {
      const found = networks.get(name);
      if (found !== undefined) return found;
    }
    throw new Error(`${name} is not on the air`);
  }

  /** True while a hostapd has the network. */
  has(name: string): boolean {
    return [...this.#running.values()].some(({ networks }) => networks.has(name));
  }

  /** hostapd of a radio ends without a word. */
  kill(radio: string): void {
    for (const [file, { networks }] of this.#running) {
      if (!networks.has(radio)) continue;
      for (const network of networks.values()) network.close();
      this.#running.delete(file);
    }
  }

  /** A radio is pulled out: its hostapd has nothing left to do. */
  unplug(name: string): void {
    this.radios.delete(name);
    this.kill(name);
    this.#changed();
  }

  plug(name: string, mac: string): void {
    this.radios.set(name, mac);
    this.#changed();
  }

  /** Ends everything, as a machine does that is switched off. */
  powerOff(): void {
    for (const name of [...this.radios.keys()]) this.kill(name);
  }

  // deno-lint-ignore require-await -- as the tool, it rejects
  iwShow = async (what: "list" | "dev" | "reg"): Promise<string> => {
    this.#require("iw");
    const names = [...this.radios.keys()].sort();
    if (what === "reg") return "global\ncountry US: DFS-FCC\n";
    if (what === "list") return names.map((_, at) => LIST.replace("phy1", `phy${at}`)).join("");
    return names.map((name, at) =>
      `phy#${at}\n\tInterface ${name}\n\t\taddr ${this.radios.get(name)}\n\t\ttype managed\n`
    ).join("");
  };

  sendFrame = (link: string, frame: ManagementFrame): void =>
    void this.frames.push({ link, frame });
  iwScan = (): Promise<string> => Promise.resolve("");
  iwChannels = (): Promise<string> => Promise.resolve("");

  iwStations = (link: string): Promise<string> => Promise.resolve(this.stations.get(link) ?? "");

  followRadios = (changed: () => void): { stop(): Promise<void> } => {
    this.#changed = changed;
    return { stop: () => Promise.resolve() };
  };

  // deno-lint-ignore require-await -- as the tool, it rejects
  hostapdVersion = async (): Promise<{ major: number; minor: number }> => {
    this.#require("hostapd");
    return { major: 2, minor: 10 };
  };

  hostapdRunning = (file: string): Promise<number | null> =>
    Promise.resolve(this.#running.get(file)?.pid ?? null);

  startHostapd = async (file: string): Promise<void> => {
    this.#require("hostapd");
    const text = await Deno.readTextFile(file);
    this.starts.push(text);
    const failure = this.failure(text);
    if (failure !== null) throw new Problem(502, failure);
    this.#running.set(file, { pid: ++this.#pid, networks: networksOf(text) });
  };

  stopHostapd = (file: string): Promise<void> => {
    for (const network of this.#running.get(file)?.networks.values() ?? []) network.close();
    this.#running.delete(file);
    return Promise.resolve();
  };

  checkHostapdFile = async (file: string): Promise<string | null> => {
    this.#require("hostapd");
    return this.complaint(await Deno.readTextFile(file));
  };

  #require(tool: "iw" | "hostapd"): void {
    if (!this.missing.has(tool)) return;
    throw new Problem(503, `The tool ${tool} is missing. The Debian package ${tool} brings it.`);
  }
}
