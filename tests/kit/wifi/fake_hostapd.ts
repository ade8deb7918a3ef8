/*
 * hostapd without a radio: the control socket of one network with hostapd's own protocol and its way of
 * keeping passwords (hostapd 2.10: ctrl_iface.c, ap_config.c, ieee802_11.c).
 */

/** A station of the fake network. */
export interface FakeStation {
  readonly mac: string;
  readonly vlan: number;
  /** `00-0f-ac-8` is SAE, `00-0f-ac-2` WPA2. */
  readonly suite: string;
  /** Seconds since it joined. */
  readonly seconds?: number;
}

/** How the fake misbehaves. */
export type Trouble = "none" | "silent" | "garbage" | "huge" | "late";

/** A network of a hostapd that is not there. */
export class FakeHostapd {
  readonly path: string;
  /** Everything that was requested, in order. */
  readonly commands: string[] = [];
  readonly stations = new Map<string, FakeStation>();
  trouble: Trouble = "none";
  /** Reply to commands of this first word in place of the usual one. */
  readonly replies = new Map<string, string>();
  state = "ENABLED";
  readonly #socket: Deno.DatagramConn;
  /** Deno sends nothing through a socket that waits to receive. */
  readonly #events: Deno.DatagramConn;
  readonly #attached = new Map<string, Deno.Addr>();
  readonly #pskFile: string | null;
  /** Newest first, as hostapd tries them. */
  #sae: { readonly mac: string; readonly password: string }[] = [];
  #closed = false;
  #psks: { readonly mac: string; readonly keyId: string; readonly key: string }[] = [];

  /** `saePasswords`: values of `sae_password=` in the order of the file. */
  constructor(
    path: string,
    { pskFile = null, saePasswords = [] }: {
      readonly pskFile?: string | null;
      readonly saePasswords?: readonly string[];
    } = {},
  ) {
    this.path = path;
    this.#pskFile = pskFile;
    this.#socket = Deno.listenDatagram({ transport: "unixpacket", path });
    this.#events = Deno.listenDatagram({ transport: "unixpacket", path: `${path}.events` });
    for (const value of saePasswords) this.#addSae(value);
    this.#loadPsks();
    void this.#serve();
  }

  /** Whether a station gets in by WPA3: the first entry that fits its address counts. */
  acceptsSae(mac: string, password: string): boolean {
    const entry = this.#sae.find((one) => one.mac === mac || one.mac === EVERY);
    return entry?.password === password;
  }

  /** The `keyid` under which a key gets a station in by WPA2; null when it does not. */
  acceptsPsk(mac: string, key: string): string | null {
    const found = this.#psks.find((one) => (one.mac === mac || one.mac === ANY) && one.key === key);
    return found?.keyId ?? null;
  }

  get saeEntries(): number {
    return this.#sae.length;
  }

  get attached(): number {
    return this.#attached.size;
  }

  /** Sends an event to everyone who sent ATTACH. */
  async sendEvent(event: string): Promise<void> {
    const bytes = new TextEncoder().encode(`<3>${event}`);
    for (const [path, to] of this.#attached) {
      // One that is gone is forgotten, as hostapd does.
      await this.#events.send(bytes, to).catch(() => this.#attached.delete(path));
    }
  }

  /** Sends no more events, as hostapd does where a listener's queue stays full. */
  dropListeners(): void {
    this.#attached.clear();
  }

  async connect(station: FakeStation, keyId = ""): Promise<void> {
    this.stations.set(station.mac, station);
    await this.sendEvent(
      `AP-STA-CONNECTED ${station.mac}${keyId === "" ? "" : ` keyid=${keyId}`}`,
    );
  }

  async disconnect(mac: string): Promise<void> {
    this.stations.delete(mac);
    await this.sendEvent(`AP-STA-DISCONNECTED ${mac}`);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.close();
    this.#events.close();
    Deno.removeSync(this.path);
    Deno.removeSync(`${this.path}.events`);
  }

  async #serve(): Promise<void> {
    const decoder = new TextDecoder();
    for (;;) {
      let bytes: Uint8Array, from: Deno.Addr;
      try {
        [bytes, from] = await this.#socket.receive(new Uint8Array(65_536));
      } catch {
        return;
      }
      const command = decoder.decode(bytes);
      this.commands.push(command);
      const reply = this.#reply(command, from);
      if (this.trouble === "silent") continue;
      if (this.trouble === "garbage") await this.#send("\u0000\ufffd=\n=\n\n====", from);
      else if (this.trouble === "huge") await this.#send("x=".repeat(30_000), from);
      else if (this.trouble === "late") setTimeout(() => void this.#send(reply, from), 300);
      else await this.#send(reply, from);
    }
  }

  async #send(text: string, to: Deno.Addr): Promise<void> {
    try {
      await this.#socket.send(new TextEncoder().encode(text), to);
    } catch {
      // Its receiver is gone.
    }
  }

  #reply(command: string, from: Deno.Addr): string {
    const [word = "", ...rest] = command.split(" ");
    const fixed = this.replies.get(word);
    if (fixed !== undefined) return fixed;
    switch (word) {
      case "PING":
        return "PONG\n";
      case "STATUS":
        return `state=${this.state}\nfreq=2412\nchannel=1\nssid[0]=a=b\nnum_sta[0]=${this.stations.size}\n`;
      case "ATTACH":
        this.#attached.set((from as Deno.UnixAddr).path, from);
        return "OK\n";
      case "DETACH":
        this.#attached.delete((from as Deno.UnixAddr).path);
        return "OK\n";
      case "STA-FIRST":
        return stationText([...this.stations.values()][0]);
      case "STA-NEXT": {
        const all = [...this.stations.values()];
        return stationText(all[all.findIndex(({ mac }) => mac === rest[0]) + 1]);
      }
      case "STA": {
        const station = this.stations.get(rest[0] ?? "");
        return station === undefined ? "FAIL\n" : stationText(station);
      }
      case "SET":
        return this.#set(rest[0] ?? "", rest.slice(1).join(" "));
      case "RELOAD_WPA_PSK":
        this.#loadPsks();
        return "OK\n";
      case "DEAUTHENTICATE":
        // Only forgotten; what is sent to a station that is there is no matter to these tests.
        if (rest[1] === "tx=0") void this.disconnect(rest[0] ?? "");
        return "OK\n";
      case "PMKSA_FLUSH":
      case "DISASSOCIATE":
      case "CHAN_SWITCH":
        return "OK\n";
      default:
        return "UNKNOWN COMMAND\n";
    }
  }

  #set(key: string, value: string): string {
    if (key === "sae_password") this.#addSae(value);
    // hostapd drops the keys of the file with it.
    else if (key === "wpa_passphrase") this.#psks = [];
    else if (key !== "sae_pwe") return "FAIL\n";
    return "OK\n";
  }

  #addSae(value: string): void {
    const at = value.indexOf("|");
    const password = at < 0 ? value : value.slice(0, at);
    const mac = /\|mac=([0-9a-f:]{17})/.exec(value.slice(password.length))?.[1] ?? EVERY;
    this.#sae.unshift({ mac, password });
  }

  #loadPsks(): void {
    if (this.#pskFile === null) return;
    const text = Deno.readTextFileSync(this.#pskFile);
    // Read line by line, each before the others (hostapd_config_read_wpa_psk).
    this.#psks = text.split("\n").filter((line) => line !== "").map((line) => {
      const [, keyId = "", mac = "", key = ""] = /^(?:keyid=(\S+) )?([0-9a-f:]{17}) (.*)$/
        .exec(line) ?? [];
      return { keyId, mac, key };
    }).toReversed();
  }
}

const ANY = "00:00:00:00:00:00";
const EVERY = "ff:ff:ff:ff:ff:ff";
/** Suite of stations that protect management frames, as WPA3 demands. */
const SAE = "00-0f-ac-8";

function stationText(station: FakeStation | undefined): string {
  if (station === undefined) return "";
  const { mac, vlan, suite, seconds = 0 } = station;
  const mfp = suite === SAE ? "[MFP]" : "";
  return `${mac}\nflags=[AUTH][ASSOC][AUTHORIZED][WMM]${mfp}\naid=1\nAKMSuiteSelector=${suite}\n` +
    `vlan_id=${vlan}\nconnected_time=${seconds}\n`;
}
