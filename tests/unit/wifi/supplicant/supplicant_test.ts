import assert from "node:assert/strict";
import { attachEvents, ControlSocket } from "../../../../system/host/sockets/hostapd_socket.ts";
import { Problem } from "../../../../system/core/errors/problem.ts";
import type {
  JoinedNetwork,
  PlannedSupplicant,
} from "../../../../system/wifi/supplicant/schema.ts";
import { Supplicant } from "../../../../system/wifi/supplicant/supplicant.ts";
import { eventually } from "../../../kit/eventually.ts";
import { FakeSupplicant } from "../../../kit/wifi/fake_supplicant.ts";

function network(name: string, change: Partial<JoinedNetwork> = {}): JoinedNetwork {
  return {
    name,
    ssidHex: new TextEncoder().encode(name).toHex(),
    keys: ["WPA-PSK"],
    password: `password of ${name}`,
    priority: 0,
    bssid: "",
    ...change,
  };
}

function plan(...networks: readonly JoinedNetwork[]): PlannedSupplicant {
  return { name: "wlan1", country: "US", networks: [...networks] };
}

/** A radio with a wpa_supplicant that is not there, and uplinks that are. */
class Bed implements AsyncDisposable {
  readonly folder: string;
  fake: FakeSupplicant | null = null;
  starts = 0;
  exists = true;
  failure: Problem | null = null;
  now = 0;
  #open: Supplicant[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<Bed> {
    return new Bed(await Deno.makeTempDir({ prefix: "sluice-supplicant-" }));
  }

  /** As a run of wifid has it. */
  uplink(): Supplicant {
    const path = (name: string): string => `${this.folder}/${name}`;
    const socket = { server: path("socket"), folder: this.folder, timeoutMs: 300 };
    const one = new Supplicant("wlan1", {
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
      path,
      controlFolder: () => this.folder,
      running: () => Promise.resolve(this.fake === null ? null : this.starts),
      start: (_link, file) => {
        if (this.failure !== null) return Promise.reject(this.failure);
        this.starts++;
        this.fake = new FakeSupplicant(path("socket"), file);
        return Promise.resolve();
      },
      stop: () => {
        this.kill();
        return Promise.resolve();
      },
      control: () => new ControlSocket(socket),
      attach: (_link, onEvent) => attachEvents(socket, onEvent),
      exists: () => Promise.resolve(this.exists),
      changed: () => {},
      now: () => this.now,
    });
    this.#open.push(one);
    return one;
  }

  kill(): void {
    this.fake?.close();
    this.fake = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#open) await one.close();
    this.kill();
    await Deno.remove(this.folder, { recursive: true });
  }
}

const names = (...list: readonly string[]): readonly string[] =>
  list.map((name) => network(name).ssidHex);

Deno.test("networks of an uplink change without a restart, and say where it is", async () => {
  await using bed = await Bed.open();
  const uplink = bed.uplink();
  await uplink.apply(plan(network("home"), network("cafe")));
  assert.equal(bed.starts, 1);
  assert.deepEqual(bed.fake!.names, names("home", "cafe"));
  bed.fake!.status = ["wpa_state=COMPLETED", "id=0", "bssid=02:00:00:00:0b:01", "freq=5180"];
  await bed.fake!.send("CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:0b:01 completed");
  await eventually("it is connected", () => assert.equal(uplink.state.state, "connected"));
  assert.deepEqual(uplink.state, {
    ...{ name: "wlan1", state: "connected", ssid: "home", bssid: "02:00:00:00:0b:01" },
    ...{ frequency: 5180, signal: -50, problem: "" },
  });

  await uplink.apply(plan(network("home"), network("hotel", { keys: ["SAE"] })));
  assert.equal(bed.starts, 1);
  assert.deepEqual(bed.fake!.names, names("home", "hotel"));
  assert.equal(bed.fake!.networks.get(2)!.get("key_mgmt"), "SAE");
  const touched = bed.fake!.commands.filter((text) => /^\w+_NETWORK 0\b|RECONFIGURE/.test(text));
  assert.deepEqual(touched, [], "the network that it is on");
});

Deno.test("a wpa_supplicant outlives wifid, and is taken over as it is", async () => {
  await using bed = await Bed.open();
  const first = bed.uplink();
  await first.apply(plan(network("home"), network("cafe")));
  await first.apply(plan(network("cafe"), network("hotel")));
  await first.close();
  const second = bed.uplink();
  await second.apply(plan(network("cafe"), network("hotel")));
  const { fake } = bed;
  assert.equal(bed.starts, 1);
  assert.equal(fake!.commands.includes("RECONFIGURE"), false);
  await second.apply(plan(network("cafe")));
  assert.deepEqual(fake!.names, names("cafe"));
  await second.close();

  // What runs is no longer known: its file says it.
  await Deno.writeTextFile(`${bed.folder}/wpa_wlan1.json`, "{damaged");
  const third = bed.uplink();
  await third.apply(plan(network("home")));
  assert.equal(bed.starts, 1);
  assert.deepEqual(fake!.names, names("home"));
});

Deno.test("a wpa_supplicant that is killed, or refuses an edit, gets its networks", async () => {
  await using bed = await Bed.open();
  const uplink = bed.uplink();
  await uplink.apply(plan(network("home")));
  bed.kill();
  await uplink.watch();
  assert.equal(bed.starts, 2);
  assert.deepEqual(bed.fake!.names, names("home"));
  bed.fake!.replies.set("ADD_NETWORK", "FAIL\n");
  await uplink.apply(plan(network("home"), network("cafe")));
  assert.deepEqual(bed.fake!.names, names("home", "cafe"));
  assert.ok(bed.fake!.commands.includes("RECONFIGURE"));
});

Deno.test("an uplink that never connects says so, with the reason where there is one", async () => {
  await using bed = await Bed.open();
  const uplink = bed.uplink();
  await uplink.apply(plan(network("home")));
  await uplink.watch();
  assert.deepEqual([uplink.state.state, uplink.state.problem], ["searching", ""]);
  bed.now += 46_000;
  await uplink.watch();
  assert.match(uplink.state.problem, /has not connected/);
  const event = "CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid=x auth_failures=1 reason=WRONG_KEY";
  await bed.fake!.send(event);
  await eventually(
    "it says why",
    () => assert.equal(uplink.state.problem, "home does not accept the password"),
  );
  bed.fake!.status = ["wpa_state=COMPLETED", "id=0"];
  await uplink.watch();
  assert.equal(uplink.state.problem, "");
});

Deno.test("a radio that is missing, or a supplicant that does not start, is tried again", async () => {
  await using bed = await Bed.open();
  const uplink = bed.uplink();
  bed.exists = false;
  await uplink.apply(plan(network("home")));
  assert.equal(uplink.state.state, "missing");
  bed.exists = true;
  bed.failure = new Problem(502, "wpa_supplicant: no driver");
  bed.now += 11_000;
  await assert.rejects(uplink.watch(), Problem);
  assert.deepEqual([uplink.state.state, uplink.state.problem], [
    "failed",
    "wpa_supplicant: no driver",
  ]);
  await uplink.watch();
  bed.failure = null;
  bed.now += 11_000;
  await uplink.watch();
  assert.equal(uplink.state.state, "searching");
});

Deno.test("an uplink that is given up leaves no password behind", async () => {
  await using bed = await Bed.open();
  const uplink = bed.uplink();
  await uplink.apply(plan(network("home")));
  await uplink.retire();
  assert.equal(bed.fake, null);
  assert.deepEqual(await Array.fromAsync(Deno.readDir(bed.folder)), []);
});

Deno.test("a supplicant that does not answer is started anew after some looks", async () => {
  await using bed = await Bed.open();
  const uplink = bed.uplink();
  await uplink.apply(plan(network("home")));
  bed.fake!.replies.set("STATUS", null);
  for (let look = 0; look < 3; look++) await uplink.watch();
  assert.equal(bed.starts, 2);
  bed.fake!.replies.set("STATUS", "\0garbage \xff no lines");
  for (let look = 0; look < 3; look++) await uplink.watch();
  assert.equal(bed.starts, 3);
});
