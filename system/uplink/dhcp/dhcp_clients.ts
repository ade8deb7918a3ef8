import { parseDhcpLine } from "./dhcp_lines.ts";
import type { DhcpClient, LeaseReport, ProblemReport } from "../plan_schema.ts";

/** A client that is restarted when it exits, until it is stopped. */
export interface RunningClient {
  stop(): Promise<void>;
}

/** Dependencies of {@link DhcpClients}. */
export interface DhcpClientsDeps {
  /** Starts a client on an interface, with callbacks for its output and errors. */
  readonly start: (client: DhcpClient, on: {
    readonly line: (line: string) => void;
    readonly error: (message: string) => void;
  }) => RunningClient;
  readonly lease: (report: LeaseReport) => void;
  readonly reportProblem: (report: ProblemReport) => void;
  /** Sets a timeout; returns the function that cancels it. */
  readonly later: (run: () => void, milliseconds: number) => () => void;
}

/** Longest timeout of setTimeout(), in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface Running {
  readonly client: DhcpClient;
  readonly process: RunningClient;
  readonly session: Session;
}

/** Keeps a DHCP client running on each uplink without a static address. */
export class DhcpClients {
  readonly #deps: DhcpClientsDeps;
  readonly #running = new Map<string, Running>();
  #stopped = false;

  constructor(deps: DhcpClientsDeps) {
    this.#deps = deps;
  }

  /** Starts and stops clients to match the plan. One is restarted when its interface changed or its
   * carrier came up. */
  async reconcile(wanted: readonly DhcpClient[]): Promise<void> {
    const next = new Map(wanted.map((client) => [client.name, client]));
    const gone = [...this.#running].filter(([name, { client }]) => {
      const now = next.get(name);
      return now === undefined || now.link !== client.link || now.index !== client.index ||
        now.mac !== client.mac || carrierCameUp(client, now);
    });
    await Promise.all(gone.map(([name]) => this.#stop(name)));
    if (this.#stopped) return;
    for (const client of wanted) {
      const running = this.#running.get(client.name);
      if (running) {
        this.#running.set(client.name, {
          ...running,
          client: withKnownCarrier(running.client, client),
        });
      } else this.#start(client);
    }
  }

  /** Stops all of them; none is started afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#running.keys()].map((name) => this.#stop(name)));
  }

  #start(client: DhcpClient): void {
    const session = new Session(client.name, this.#deps);
    const process = this.#deps.start(client, {
      line: (line) => session.handle(line),
      error: (message) => session.report(message),
    });
    this.#running.set(client.name, { client, process, session });
  }

  async #stop(name: string): Promise<void> {
    const running = this.#running.get(name);
    if (!running) return;
    this.#running.delete(name);
    running.session.end();
    await running.process.stop();
  }
}

/**
 * True when the carrier came up since, however short its loss: the interface may be on another network
 * now (RFC 2131 3.7, RFC 4436 2).
 */
function carrierCameUp(before: DhcpClient, now: DhcpClient): boolean {
  if (before.carrierUps === null || now.carrierUps === null) return now.running && !before.running;
  return now.running && now.carrierUps !== before.carrierUps;
}

/**
 * The kernel counts a carrier before it reports the interface as running: until it does, the earlier
 * count is kept.
 */
function withKnownCarrier(before: DhcpClient, now: DhcpClient): DhcpClient {
  return now.running || now.carrierUps === null ? now : { ...now, carrierUps: before.carrierUps };
}

/** State of one client. A lease outlives its client, until it expires. */
class Session {
  readonly #name: string;
  readonly #deps: DhcpClientsDeps;
  #leased = false;
  #isOver = false;
  #reported: string | null = null;
  #cancel: (() => void) | null = null;

  constructor(name: string, deps: DhcpClientsDeps) {
    this.#name = name;
    this.#deps = deps;
  }

  handle(text: string): void {
    // What a stopped client had yet to say is of the network before.
    if (this.#isOver) return;
    const line = parseDhcpLine(text);
    switch (line.kind) {
      case "lease":
        this.#setLease(line.lease);
        return;
      case "deconfig":
        // A client also sends this at its start: the lease of an earlier one stays.
        if (this.#leased) this.#endLease();
        return;
      case "nak":
        this.#endLease();
        return;
      case "leasefail":
        this.report("No DHCP server responds");
        return;
      case "malformed":
        this.report(`Unexpected output of the DHCP client: ${printable(line.text)}`);
    }
  }

  end(): void {
    this.#isOver = true;
    this.#endTimer();
  }

  #endTimer(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #setLease(lease: NonNullable<LeaseReport["lease"]>): void {
    this.#endTimer();
    this.#leased = true;
    this.#deps.lease({ name: this.#name, lease });
    this.report("");
    if (lease.seconds !== null) this.#expireIn(lease.seconds * 1000);
  }

  /** Ends the lease after so many milliseconds, which may exceed one timer. */
  #expireIn(milliseconds: number): void {
    const wait = Math.min(milliseconds, MAX_TIMER_MS);
    this.#cancel = this.#deps.later(
      () => wait < milliseconds ? this.#expireIn(milliseconds - wait) : this.#endLease(),
      wait,
    );
  }

  #endLease(): void {
    this.#endTimer();
    this.#leased = false;
    this.#deps.lease({ name: this.#name, lease: null });
  }

  report(detail: string): void {
    if (this.#isOver || this.#reported === detail) return;
    this.#reported = detail;
    this.#deps.reportProblem({ name: this.#name, detail });
  }
}

function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, " ").toWellFormed();
}
