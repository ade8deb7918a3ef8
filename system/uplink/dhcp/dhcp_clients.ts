import { parseDhcpLine } from "./dhcp_lines.ts";
import type { DhcpClient, LeaseReport, ProblemReport } from "../plan_schema.ts";

/** A client that runs until it is stopped, started anew when it ends. */
export interface KeptClient {
  stop(): Promise<void>;
}

/** What DHCP clients need from outside. */
export interface DhcpClientsDeps {
  /** Starts a client on a link and passes on what it says. */
  readonly start: (client: DhcpClient, on: {
    readonly line: (line: string) => void;
    readonly complain: (message: string) => void;
  }) => KeptClient;
  readonly lease: (report: LeaseReport) => void;
  readonly reportProblem: (report: ProblemReport) => void;
  /** Calls later; the function that it answers takes that back. */
  readonly later: (run: () => void, milliseconds: number) => () => void;
}

/** Longest time that a timer can count, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

interface Kept {
  readonly client: DhcpClient;
  readonly process: KeptClient;
  readonly session: Session;
}

/** Keeps one DHCP client running on each uplink that asks for an address. */
export class DhcpClients {
  readonly #deps: DhcpClientsDeps;
  readonly #kept = new Map<string, Kept>();
  #stopped = false;

  constructor(deps: DhcpClientsDeps) {
    this.#deps = deps;
  }

  /** Starts and stops clients, so that these run; one whose link is another, or was plugged in, asks anew. */
  async adapt(wanted: readonly DhcpClient[]): Promise<void> {
    const next = new Map(wanted.map((client) => [client.name, client]));
    const gone = [...this.#kept].filter(([name, { client }]) => {
      const now = next.get(name);
      return now === undefined || now.link !== client.link || now.index !== client.index ||
        now.mac !== client.mac || wasPlugged(client, now);
    });
    await Promise.all(gone.map(([name]) => this.#stop(name)));
    if (this.#stopped) return;
    for (const client of wanted) {
      const kept = this.#kept.get(client.name);
      if (kept) this.#kept.set(client.name, { ...kept, client: asSeen(kept.client, client) });
      else this.#start(client);
    }
  }

  /** Ends all of them, for good: none is started any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#kept.keys()].map((name) => this.#stop(name)));
  }

  #start(client: DhcpClient): void {
    const session = new Session(client.name, this.#deps);
    const process = this.#deps.start(client, {
      line: (line) => session.hear(line),
      complain: (message) => session.complain(message),
    });
    this.#kept.set(client.name, { client, process, session });
  }

  async #stop(name: string): Promise<void> {
    const kept = this.#kept.get(name);
    if (!kept) return;
    this.#kept.delete(name);
    kept.session.end();
    await kept.process.stop();
  }
}

/**
 * Its cable was plugged in since, for however short a time it was out: it may lead to another network
 * now (RFC 2131 3.7, RFC 4436 2).
 */
function wasPlugged(before: DhcpClient, now: DhcpClient): boolean {
  if (before.plugs === null || now.plugs === null) return now.running && !before.running;
  return now.running && now.plugs !== before.plugs;
}

/**
 * The kernel counts a cable before it says that it carries something: what was counted meanwhile is
 * news once it does.
 */
function asSeen(before: DhcpClient, now: DhcpClient): DhcpClient {
  return now.running || now.plugs === null ? now : { ...now, plugs: before.plugs };
}

/** What one client said so far. A lease outlives its client, until its time is over. */
class Session {
  readonly #name: string;
  readonly #deps: DhcpClientsDeps;
  #leased = false;
  #told: string | null = null;
  #cancel: (() => void) | null = null;

  constructor(name: string, deps: DhcpClientsDeps) {
    this.#name = name;
    this.#deps = deps;
  }

  hear(text: string): void {
    const line = parseDhcpLine(text);
    switch (line.kind) {
      case "lease":
        this.#take(line.lease);
        return;
      case "without":
        // A client begins with this word, too: what an earlier one was given holds on.
        if (this.#leased) this.#lose();
        return;
      case "refused":
        this.#lose();
        return;
      case "silence":
        this.#tell("No DHCP server answers");
        return;
      case "garbage":
        this.#tell(`The DHCP client said what nobody understands: ${printable(line.words)}`);
    }
  }

  complain(message: string): void {
    this.#tell(message);
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #take(lease: NonNullable<LeaseReport["lease"]>): void {
    this.end();
    this.#leased = true;
    this.#deps.lease({ name: this.#name, lease });
    this.#tell("");
    if (lease.seconds !== null) this.#await(lease.seconds * 1000);
  }

  /** Loses the lease after so many milliseconds, which may be more than one timer counts. */
  #await(milliseconds: number): void {
    const wait = Math.min(milliseconds, LONGEST_TIMER);
    this.#cancel = this.#deps.later(
      () => wait < milliseconds ? this.#await(milliseconds - wait) : this.#lose(),
      wait,
    );
  }

  #lose(): void {
    this.end();
    this.#leased = false;
    this.#deps.lease({ name: this.#name, lease: null });
  }

  #tell(detail: string): void {
    if (this.#told === detail) return;
    this.#told = detail;
    this.#deps.reportProblem({ name: this.#name, detail });
  }
}

function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, " ").toWellFormed();
}
