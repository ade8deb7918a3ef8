import { Problem } from "../../core/errors/problem.ts";

/*
 * The control interface of hostapd and wpa_supplicant: datagrams between unix sockets, one answer for
 * each command (wpa_ctrl.c of hostapd 2.10). Events come to a socket that sent ATTACH.
 */

/** Milliseconds that a command may take. */
const COMMAND_TIMEOUT_MS = 3000;
/** Bytes of an answer; hostapd itself has 4096. */
const MAX_REPLY_BYTES = 65_536;

/** How a control socket is reached. */
export interface ControlSocketOptions {
  /** Path of hostapd's socket. */
  readonly server: string;
  /** Folder for our own end, which hostapd answers to. */
  readonly folder: string;
  readonly timeoutMs?: number;
  /** Who is at the other end, in errors; default hostapd. */
  readonly program?: string;
}

let count = 0;

/** Prefix of our own ends; what an earlier run left begins with it too. */
export const CLIENT_PREFIX = "client-";

/** Our end of a control socket. */
class Datagrams {
  readonly #path: string;
  readonly #server: Deno.UnixAddr;
  readonly #socket: Deno.DatagramConn;

  constructor({ server, folder }: ControlSocketOptions) {
    this.#path = `${folder}/${CLIENT_PREFIX}${Deno.pid}-${++count}`;
    this.#server = { transport: "unixpacket", path: server };
    this.#socket = Deno.listenDatagram({ transport: "unixpacket", path: this.#path });
  }

  async send(text: string): Promise<void> {
    await this.#socket.send(new TextEncoder().encode(text), this.#server);
  }

  async receive(): Promise<string> {
    const [bytes] = await this.#socket.receive(new Uint8Array(MAX_REPLY_BYTES));
    return new TextDecoder().decode(bytes);
  }

  close(): void {
    try {
      this.#socket.close();
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
    try {
      Deno.removeSync(this.#path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

/** Sends commands to one network of hostapd, one after another. */
export class ControlSocket {
  readonly #options: ControlSocketOptions;
  #datagrams: Datagrams | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ControlSocketOptions) {
    this.#options = options;
  }

  /**
   * Sends a command and answers hostapd's reply without its last line break. Throws Problem 503 while
   * hostapd does not run, 502 when it does not reply in time.
   */
  request(command: string): Promise<string> {
    const reply = this.#last.then(() => this.#exchange(command));
    this.#last = reply.catch(() => {});
    return reply;
  }

  /** {@link request}; throws Problem 502 with hostapd's words unless the reply is `OK`. */
  async order(command: string): Promise<void> {
    const reply = await this.request(command);
    if (!reply.startsWith("OK")) {
      const text = reply.slice(0, 200) || "no reply";
      throw new Problem(502, `${programOf(this.#options)}: ${text}`);
    }
  }

  close(): void {
    this.#datagrams?.close();
    this.#datagrams = null;
  }

  async #exchange(command: string): Promise<string> {
    const { timeoutMs = COMMAND_TIMEOUT_MS } = this.#options;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => {
          const text = `${programOf(this.#options)} did not reply within ${timeoutMs} ms`;
          reject(new Problem(502, text));
        },
        timeoutMs,
      );
    });
    try {
      const datagrams = this.#datagrams ??= new Datagrams(this.#options);
      await datagrams.send(command);
      return (await Promise.race([datagrams.receive(), late])).trimEnd();
    } catch (error) {
      // A late reply must not be taken for that of the next command.
      this.close();
      throw unreachable(error, this.#options);
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Receives the events of a network until it is closed: texts such as
 * `AP-STA-CONNECTED 02:00:00:00:0a:01`, without their level. Throws Problem as
 * {@link ControlSocket.request} does when hostapd does not accept.
 */
export async function attachEvents(
  options: ControlSocketOptions,
  onEvent: (text: string) => void,
): Promise<{ close(): void }> {
  const datagrams = open(options);
  const { promise: attached, resolve, reject } = Promise.withResolvers<void>();
  // It may fail before it is waited for.
  attached.catch(() => {});
  const timer = setTimeout(
    () => reject(new Problem(502, `${programOf(options)} did not reply`)),
    options.timeoutMs ?? COMMAND_TIMEOUT_MS,
  );
  const receive = async (): Promise<void> => {
    for (;;) {
      const text = await datagrams.receive();
      const event = /^<\d>(.*)$/s.exec(text)?.[1];
      if (event !== undefined) onEvent(event.trimEnd());
      else if (text.startsWith("OK")) resolve();
      else reject(new Problem(502, `${programOf(options)}: ${text.slice(0, 200)}`));
    }
  };
  try {
    // A socket cannot send while it waits to receive.
    await datagrams.send("ATTACH");
    // It ends when the socket is closed.
    receive().catch(reject);
    await attached;
  } catch (error) {
    datagrams.close();
    throw unreachable(error, options);
  } finally {
    clearTimeout(timer);
  }
  return { close: () => datagrams.close() };
}

function open(options: ControlSocketOptions): Datagrams {
  try {
    return new Datagrams(options);
  } catch (error) {
    throw unreachable(error, options);
  }
}

function programOf({ program = "hostapd" }: ControlSocketOptions): string {
  return program;
}

/** What it means that a socket cannot be used. */
function unreachable(error: unknown, options: ControlSocketOptions): unknown {
  // A right that our process lacks is no state of hostapd.
  if (error instanceof Problem || error instanceof Deno.errors.NotCapable) return error;
  const text = `${programOf(options)} does not run for this network`;
  return new Problem(503, text, { cause: error });
}

/** Removes what an earlier run of ours left in the folder of our ends. */
export async function removeOldClients(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    if (name.startsWith(CLIENT_PREFIX)) await Deno.remove(`${folder}/${name}`).catch(() => {});
  }
}
