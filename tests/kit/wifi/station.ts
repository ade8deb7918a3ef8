import { ControlSocket } from "../../../system/host/sockets/hostapd_socket.ts";
import { statusLines } from "../../../system/wifi/hostapd/replies.ts";
import { eventually } from "../lab/bed.ts";
import type { Lab } from "../lab/lab.ts";
import type { LabProcess } from "../lab/command.ts";

/** How a station signs in. */
export interface SignIn {
  readonly ssid: string;
  readonly by: "wpa2" | "sae";
  readonly password: string;
  /** MHz, so that only this channel is scanned. */
  readonly frequency: number;
  /** Radio that it joins of those that have the name, and MHz of another that it looks at as well. */
  readonly pinned?: { readonly bssid: string; readonly other: number };
}

/** A client machine of the lab with a radio of its own, and a stock supplicant. */
export class Station {
  /** Its namespace in the lab. */
  readonly part: string;
  readonly link: string;
  readonly mac: string;
  readonly #lab: Lab;
  readonly #folder: string;
  #supplicant: LabProcess | null = null;
  #control: ControlSocket | null = null;

  private constructor(lab: Lab, options: Pick<Station, "part" | "link" | "mac">, folder: string) {
    this.part = options.part;
    this.link = options.link;
    this.mac = options.mac;
    this.#lab = lab;
    this.#folder = folder;
  }

  /** Of a radio that is still this machine's, and is then the client's. */
  static async open(lab: Lab, part: string, link: string): Promise<Station> {
    const mac = (await Deno.readTextFile(`/sys/class/net/${link}/address`)).trim();
    const folder = await Deno.makeTempDir({ prefix: "sluice-station-" });
    return new Station(lab, { part, link, mac }, folder);
  }

  /** Begins to sign in, with a supplicant that has not failed before and waits for nothing. */
  async seek({ ssid, by, password, frequency, pinned }: SignIn): Promise<void> {
    await this.leave();
    const quoted = (text: string): string => `"${text}"`;
    const lines = [
      `ctrl_interface=${this.#folder}/wpa`,
      "country=US",
      // Hash to element where it is offered.
      "sae_pwe=2",
      "network={",
      `ssid=${new TextEncoder().encode(ssid).toHex()}`,
      `scan_freq=${frequency}${pinned === undefined ? "" : ` ${pinned.other}`}`,
      ...(pinned === undefined ? [] : [`bssid=${pinned.bssid}`]),
      ...(by === "sae"
        ? ["key_mgmt=SAE", "ieee80211w=2", `sae_password=${quoted(password)}`]
        : ["key_mgmt=WPA-PSK", `psk=${quoted(password)}`]),
      "}",
      "",
    ];
    const file = `${this.#folder}/wpa.conf`;
    await Deno.writeTextFile(file, lines.join("\n"));
    const args = ["-i", this.link, "-D", "nl80211", "-c", file];
    this.#supplicant = this.#lab.spawn(this.part, "wpa_supplicant", args);
    this.#control = new ControlSocket({
      server: `${this.#folder}/wpa/${this.link}`,
      folder: this.#folder,
    });
  }

  /** Signs in; throws when it does not come about. */
  async join(signIn: SignIn): Promise<void> {
    await this.seek(signIn);
    await eventually(`${this.part} joins ${signIn.ssid}`, () => this.isOn());
  }

  /** Lets one that was pinned move to another radio; any other setting would disconnect it. */
  async unpin(): Promise<void> {
    await this.#control!.order("SET_NETWORK 0 bssid any");
  }

  /** True while it is signed in. */
  async isOn(): Promise<boolean> {
    return (await this.#status())["wpa_state"] === "COMPLETED";
  }

  /** MHz of the channel that it is on. */
  async frequency(): Promise<number> {
    return Number((await this.#status())["freq"]);
  }

  /** How often the supplicant printed such a line. */
  count(pattern: RegExp): number {
    return this.#supplicant?.count(pattern) ?? 0;
  }

  /** Waits for a line of the supplicant. */
  async line(pattern: RegExp): Promise<void> {
    await this.#supplicant!.line(pattern);
  }

  /** Requests an address, again where nobody replied in time; answers it. */
  async lease(): Promise<string> {
    await eventually(
      `${this.part} gets an address`,
      async () => (await this.#lab.dhcp(this.part, ["-i", this.link])).ok,
    );
    const address = await this.address();
    if (address === null) throw new Error(`${this.part} has no address`);
    return address;
  }

  async address(): Promise<string | null> {
    const shown = await this.#lab.must(this.part, "ip", [
      "-4",
      "address",
      "show",
      "dev",
      this.link,
    ]);
    return /inet ([\d.]+)\/30/.exec(shown)?.[1] ?? null;
  }

  /** Signs out. */
  async leave(): Promise<void> {
    this.#control?.close();
    this.#control = null;
    await this.#supplicant?.stop();
    this.#supplicant = null;
  }

  async close(): Promise<void> {
    await this.leave();
    await Deno.remove(this.#folder, { recursive: true });
  }

  async #status(): Promise<Readonly<Record<string, string>>> {
    return statusLines(await this.#control!.request("STATUS"));
  }
}
