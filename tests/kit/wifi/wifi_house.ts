import assert from "node:assert/strict";
import { serveUnix } from "../../../system/core/ipc/unix_socket.ts";
import { openLog } from "../../../system/core/log/log.ts";
import { sockets } from "../../../system/processes.ts";
import { startWifid } from "../../../system/wifi/service.ts";
import type { Wifid } from "../../../system/wifi/wifid.ts";
import { hostapdFolder, wifiFolder } from "../../../system/wifi/process.ts";
import { socketApp } from "../../../routes/http/socket_app.ts";
import { SOCKET_ROUTES } from "../../../routes/internal.ts";
import { type MemoryHost, memoryHost } from "../../../system/host/memory/host.ts";
import { isRestrictive } from "../../../system/firewall/sets/transition.ts";
import { eventually } from "../eventually.ts";
import { type TestRouter, testRouter } from "../router.ts";
import { FakeMachine } from "./fake_machine.ts";
import { WIRED_FILES } from "./wifid_bed.ts";

/** A model of the kernel that counts as one: on a mere model nothing is put on the air. */
function appliedHost(): MemoryHost {
  const host = memoryHost({ isRestrictive, links: ["lan0", "lan1", "wan0", "wlan0", "wlan1"] });
  return Object.defineProperty(host, "kind", { value: "linux" });
}

/** A whole router with a whole wifid, on radios and a hostapd that are not there. */
export class WifiHouse implements AsyncDisposable {
  readonly machine = new FakeMachine();
  readonly router: TestRouter;
  /** Lines of wifid's log. */
  readonly lines: string[] = [];
  #api: { shutdown(): Promise<void> } | null = null;
  #control: { shutdown(): Promise<void> } | null = null;
  #wifid: Wifid | null = null;

  private constructor(router: TestRouter) {
    this.router = router;
  }

  static async open(prepare: (machine: FakeMachine) => void = () => {}): Promise<WifiHouse> {
    const house = new WifiHouse(
      await testRouter({
        files: WIRED_FILES,
        host: appliedHost(),
        engine: { live: true },
      }),
    );
    const { home, internal } = house.router;
    house.#api = await serveUnix(
      sockets(home).wifi,
      (request) => Promise.resolve(internal.wifi.fetch(request)),
    );
    prepare(house.machine);
    await house.startWifid();
    return house;
  }

  /** Starts wifid, as the launcher does. */
  async startWifid(): Promise<void> {
    const { home } = this.router;
    const wifid = await startWifid({
      socket: sockets(home).wifi,
      folder: wifiFolder(home),
      hostapdFolder: hostapdFolder({ home, privateState: null }),
      log: openLog({
        process: "wifid",
        human: false,
        level: "debug",
        write: (line) => void this.lines.push(line),
      }),
      machine: this.machine,
    });
    this.#wifid = wifid;
    const app = socketApp(SOCKET_ROUTES.wifiControl(wifid), { by: "wifi", log: () => {} });
    this.#control = await serveUnix(sockets(home).wifiControl, (request) => app.fetch(request));
  }

  /** The wifid that runs. */
  get wifid(): Wifid {
    if (this.#wifid === null) throw new Error("wifid does not run");
    return this.#wifid;
  }

  /** Ends wifid; hostapd goes on. */
  async stopWifid(): Promise<void> {
    await this.#control?.shutdown();
    await this.#wifid?.stop();
    this.#control = this.#wifid = null;
  }

  /** An answer of the API with this status. */
  // deno-lint-ignore no-explicit-any -- tests read answers of every shape
  async call(method: string, path: string, body?: unknown, status = 200): Promise<any> {
    const answer = await this.router.ask(method, path, body === undefined ? {} : { body });
    const text = await answer.text();
    assert.equal(answer.status, status, `${method} ${path}: ${text}`);
    return text === "" ? null : JSON.parse(text);
  }

  /** Turns access points on, and waits until they are on the air. */
  async turnOn(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.call("PUT", `/hostapd/${name}/enable`);
    for (const name of names) await this.until(name, "enabled");
  }

  /** Waits until a radio is in a state; answers hostapd's words. */
  async until(name: string, state: string): Promise<string> {
    return await eventually(`${name} is ${state}`, async () => {
      const { items } = await this.call("GET", "/wifi/radios");
      const radio = items.find((one: { readonly name: string }) => one.name === name);
      assert.equal(radio?.state?.state ?? "gone", state);
      return radio?.state?.problem ?? "";
    });
  }

  /** Texts of the notices about radios that are open. */
  async notices(): Promise<readonly string[]> {
    const { items } = await this.call("GET", "/notices");
    return items.filter((one: { readonly kind: string; readonly resolvedAt: unknown }) =>
      one.kind === "wifi-radio" && one.resolvedAt === null
    ).map((one: { readonly detail: string }) => one.detail);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopWifid();
    this.machine.powerOff();
    const ended = this.#api?.shutdown();
    this.router.endStreams();
    await this.router[Symbol.asyncDispose]();
    await ended;
  }
}
