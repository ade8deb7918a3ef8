/*
 * wpa_supplicant without a radio: its control socket, as far as it is used (ctrl_iface.c of 2.10).
 */

/** A wpa_supplicant that is not there. */
export class FakeSupplicant {
  /** Everything that was requested, in order. */
  readonly commands: string[] = [];
  /** Settings of its networks by their number. */
  readonly networks = new Map<number, Map<string, string>>();
  /** What it says of its state. */
  status: readonly string[] = ["wpa_state=SCANNING"];
  signal = -50;
  /** Replies to commands of this first word in place of the usual ones; null none at all. */
  readonly replies = new Map<string, string | null>();
  readonly #socket: Deno.DatagramConn;
  /** Deno sends nothing through a socket that waits to receive. */
  readonly #events: Deno.DatagramConn;
  readonly #attached: Deno.Addr[] = [];
  readonly #path: string;
  readonly #file: string;
  #next = 0;

  constructor(path: string, file: string) {
    this.#path = path;
    this.#file = file;
    this.#socket = Deno.listenDatagram({ transport: "unixpacket", path });
    this.#events = Deno.listenDatagram({ transport: "unixpacket", path: `${path}.events` });
    this.#load();
    void this.#serve();
  }

  /** Names of its networks, in hexadecimal. */
  get names(): readonly string[] {
    return [...this.networks.values()].map((one) => one.get("ssid") ?? "");
  }

  /** Sends an event to everyone who sent ATTACH. */
  async send(event: string): Promise<void> {
    const bytes = new TextEncoder().encode(`<3>${event}`);
    for (const to of this.#attached) await this.#events.send(bytes, to).catch(() => {});
  }

  close(): void {
    for (const socket of [this.#socket, this.#events]) socket.close();
    for (const path of [this.#path, `${this.#path}.events`]) {
      try {
        Deno.removeSync(path);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
  }

  #load(): void {
    this.networks.clear();
    this.#next = 0;
    const text = Deno.readTextFileSync(this.#file);
    for (const [, body] of text.matchAll(/^network=\{\n(.*?)^\}/gms)) {
      const settings = [...body!.matchAll(/^\t(\w+)=(.*)$/gm)].map(([, k, v]) => [k!, v!] as const);
      this.networks.set(this.#next++, new Map(settings));
    }
  }

  async #serve(): Promise<void> {
    try {
      for await (const [bytes, from] of this.#socket) {
        const command = new TextDecoder().decode(bytes);
        this.commands.push(command);
        const [word] = command.split(" ");
        const reply = this.replies.has(word!)
          ? this.replies.get(word!)!
          : this.#reply(command, from);
        if (reply !== null) await this.#events.send(new TextEncoder().encode(reply), from);
      }
    } catch (error) {
      // It was closed.
      if (!(error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted)) {
        throw error;
      }
    }
  }

  #reply(command: string, from: Deno.Addr): string {
    const [word, number, key, ...value] = command.split(" ");
    const network = this.networks.get(Number(number));
    switch (word) {
      case "ATTACH":
        this.#attached.push(from);
        return "OK\n";
      case "STATUS":
        return `${this.status.join("\n")}\n`;
      case "SIGNAL_POLL":
        return `RSSI=${this.signal}\nLINKSPEED=54\n`;
      case "RECONFIGURE":
        this.#load();
        return "OK\n";
      case "ADD_NETWORK":
        this.networks.set(this.#next, new Map());
        return `${this.#next++}\n`;
      case "REMOVE_NETWORK":
        return this.networks.delete(Number(number)) ? "OK\n" : "FAIL\n";
      case "SET_NETWORK":
        network?.set(key!, value.join(" "));
        return network === undefined ? "FAIL\n" : "OK\n";
      case "ENABLE_NETWORK":
        return network === undefined ? "FAIL\n" : "OK\n";
      case "SET":
        return "OK\n";
      default:
        return "UNKNOWN COMMAND\n";
    }
  }
}
