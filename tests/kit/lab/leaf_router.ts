import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { type Program, startProgram } from "../process.ts";
import { eventually } from "./bed.ts";
import { must } from "./command.ts";
import type { Lab } from "./lab.ts";
import { controlFolder } from "./tunnel_peer.ts";
import { type ApiAnswer, ApiRelay, LAB_PASSWORD, LAB_USERS, type LabRouter } from "./router.ts";

/** The access point of every router of a lab with leaf routers; no radio is behind it. */
export const POINT = { Name: "wlan0", Type: "AP", Enabled: true };

/** A client machine of the lab that is a leaf router: its `eth0` is the WAN, in the parent's LAN. */
export class LeafRouter {
  readonly part: string;
  readonly address: string;
  readonly #lab: Lab;
  readonly #home: string;
  #program: Program | null = null;
  #relay: ApiRelay | null = null;
  #covers: Readonly<Record<string, string>> = {};

  constructor(lab: Lab, { part, address, home }: {
    readonly part: string;
    readonly address: string;
    readonly home: string;
  }) {
    [this.#lab, this.part, this.address, this.#home] = [lab, part, address, home];
  }

  /** Writes what it starts with: an address of the parent's LAN, and HTTPS open there. */
  async prepare(gateway: string): Promise<void> {
    this.#covers = await controlFolder(`${this.#home}-control`);
    const files = {
      "base/interfaces.json": [
        {
          ...{ Name: "eth0", Type: "Uplink", Enabled: true, DisableDHCP: true },
          ...{ IP: `${this.address}/30`, Router: gateway },
        },
        { Name: "lan1", Type: "Downlink", Enabled: true },
        POINT,
      ],
      "auth/auth_users.json": LAB_USERS,
      // Until it joins, it has a LAN of its own, which must not be that of the parent.
      "base/dhcp.json": { TinyNets: ["192.168.77.0/24"] },
      "base/firewall.json": {
        ServicePorts: [{ Protocol: "tcp", Port: "443", UpstreamEnabled: true }],
      },
    };
    for (const [path, value] of Object.entries(files)) {
      const file = `${this.#home}/configs/${path}`;
      await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
      await Deno.writeTextFile(file, JSON.stringify(value));
    }
  }

  get log(): string {
    return this.#program?.log() ?? "";
  }

  async start(): Promise<void> {
    this.#relay = new ApiRelay(this.#lab, this.part, this.#home);
    this.#program = startProgram({
      home: this.#home,
      space: this.#lab.space(this.part),
      covers: this.#covers,
      environment: {
        SLUICE_NETWORK: "on",
        SLUICE_SERVICES: "mesh,dhcpd,dnsd,wireguard",
        SLUICE_HTTP: "0.0.0.0:80",
        SLUICE_INSTALL: "no",
        SLUICE_ADMIN_PASSWORD: LAB_PASSWORD,
      },
    });
    await eventually(`the leaf router ${this.part} responds`, async () => {
      const answer = await this.api("GET", "/network");
      return answer.status === 200 && answer.json.state !== "model";
    });
  }

  async stop(signal: Deno.Signal = "SIGTERM"): Promise<void> {
    await this.#program?.stop(signal);
    this.#program = null;
    await this.#relay?.close();
    this.#relay = null;
  }

  /** Calls its API as its admin, from its own loopback. */
  async api(
    method: string,
    path: string,
    { body, headers = {} }: {
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<ApiAnswer> {
    if (this.#relay === null) throw new Error("The leaf router is not running");
    const sent = new Headers(headers);
    sent.set("authorization", `Basic ${btoa(`admin:${LAB_PASSWORD}`)}`);
    return await this.#relay.call({ method, path, headers: sent, body });
  }

  async ok(method: string, path: string, body?: unknown): Promise<ApiAnswer["json"]> {
    const { status, text, json } = await this.api(method, path, { body });
    assert.equal(status, 200, `${method} ${path}: ${text}`);
    return json;
  }

  /** Becomes a leaf router of this parent. */
  async join(parent: LabRouter): Promise<void> {
    await this.ok("PUT", "/firewall/enableTLS");
    const enrolled = await this.ok("PUT", "/otp_register", { Name: "admin" });
    const totp = new TOTP({ secret: Secret.fromBase32(enrolled.OTPUsers[0].Secret) });
    const jwt = await this.ok("PUT", "/otp_validate", { Name: "admin", Code: totp.generate() });
    const headers = { "x-jwt-otp": jwt };
    const token = await this.api("PUT", "/plugins/mesh/leafToken", { headers });
    const body = { IP: this.address, APIToken: token.json.Token };
    const added = await parent.api("PUT", "/plugins/mesh/leafRouter", { body });
    assert.equal(added.status, 200, `${added.text}\n${this.log}`);
    await eventually(`${this.part} is in sync`, async () => {
      const { Leaves } = (await parent.api("GET", "/plugins/mesh/status")).json;
      return Leaves.some(({ IP, Status }: { IP: string; Status: string }) =>
        IP === this.address && Status === "synced"
      );
    });
  }

  /** What hostapd reports once a station has joined. */
  async joined(mac: string, number: number): Promise<void> {
    const body = { Iface: `wlan0.${number}`, Event: "AP-STA-CONNECTED", Mac: mac };
    await this.ok("PUT", "/reportPSKAuthSuccess", body);
  }
}

/** A machine with a Wi-Fi card, whose station interface is an end of a cable at some router. */
export interface Station {
  readonly part: string;
  readonly mac: string;
  /** Of its interface `wlan0.<number>`. */
  readonly number: number;
}

/** Makes a station's machine, in the range of this router. */
export async function makeStation(lab: Lab, station: Station, at: string): Promise<void> {
  const { part, mac, number } = station;
  const space = lab.space(part);
  await must("ip", ["netns", "add", space]);
  await must("ip", ["-n", space, "link", "set", "lo", "up"]);
  const end = ["link", "add", `wlan0.${number}`, "type", "veth", "peer", "eth0"];
  await must("ip", ["-n", lab.space(at), ...end, "netns", space]);
  await must("ip", ["-n", space, "link", "set", "eth0", "address", mac, "up"]);
  await must("ip", ["-n", lab.space(at), "link", "set", `wlan0.${number}`, "up"]);
}

/** The station goes from one router to another; its own interface notices nothing. */
export async function carry(
  lab: Lab,
  { number }: Station,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const name = `wlan0.${number}`;
  await must("ip", ["-n", lab.space(from), "link", "set", name, "netns", lab.space(to)]);
  await must("ip", ["-n", lab.space(to), "link", "set", name, "up"]);
}
