import type { PppoeConnection, ProblemReport } from "../plan_schema.ts";
import { problemInLog } from "./ppp_log.ts";
import { providerText } from "./ppp_text.ts";

/** Dependencies of {@link PppConnections}. */
export interface PppDeps {
  /** Writes a file of mode 0600 atomically; true when its content changed. */
  readonly write: (name: string, text: string) => Promise<boolean>;
  readonly remove: (name: string) => Promise<void>;
  /** Existing option files. */
  readonly list: () => Promise<readonly string[]>;
  /** The end of a log; "" for a missing one. A long log is truncated. */
  readonly readLog: (name: string) => Promise<string>;
  /** Truncates a log; its mode is 0600. */
  readonly truncateLog: (name: string) => Promise<void>;
  /** The absolute path of a file. */
  readonly path: (name: string) => string;
  /** PID of the pppd with the options of a file, or null. */
  readonly running: (file: string) => Promise<number | null>;
  /** Starts pppd with the options of a file; it detaches itself. Throws Problem with its output. */
  readonly connect: (file: string) => Promise<void>;
  /** Ends the pppd with the options of a file, if it runs. */
  readonly disconnect: (file: string) => Promise<void>;
  readonly reportProblem: (report: ProblemReport) => Promise<void>;
}

const PEER = "peers/provider_";
const LOG = "log/provider_";

/**
 * Keeps pppd running for each enabled account. pppd outlives uplinkd: a running one is found by its
 * option file and stays, unless the account changed.
 */
export class PppConnections {
  readonly #deps: PppDeps;
  readonly #reported = new Map<string, string>();
  /** Accounts for which pppd failed to start. */
  readonly #failedToStart = new Set<string>();

  constructor(deps: PppDeps) {
    this.#deps = deps;
  }

  /**
   * Connects and disconnects accounts to match the plan. A failing disconnect does not prevent other
   * connections; it is thrown at the end.
   */
  async reconcile(wanted: readonly PppoeConnection[]): Promise<void> {
    const names = new Set(wanted.map(({ name }) => name));
    const failures: unknown[] = [];
    for (const file of await this.#deps.list()) {
      const name = file.startsWith(PEER) ? file.slice(PEER.length) : null;
      if (name === null || names.has(name)) continue;
      await this.#end(name).catch((error) => failures.push(error));
    }
    for (const one of wanted) await this.#ensure(one);
    if (failures.length > 0) throw failures[0];
  }

  async #end(name: string): Promise<void> {
    const { remove, disconnect } = this.#deps;
    await disconnect(`${PEER}${name}`);
    await remove(`${PEER}${name}`);
    await remove(`${LOG}${name}`);
    this.#reported.delete(name);
    this.#failedToStart.delete(name);
  }

  async #ensure(one: PppoeConnection): Promise<void> {
    const {
      write,
      running,
      connect,
      disconnect,
      readLog,
      truncateLog,
      path,
      reportProblem,
    } = this.#deps;
    const file = `${PEER}${one.name}`, log = `${LOG}${one.name}`;
    const before = this.#reported.get(one.name);
    let detail = before ?? "";
    try {
      if (await write(file, providerText(one, path(log)))) {
        await disconnect(file);
        await truncateLog(log);
        detail = "";
      }
      detail = problemInLog(await readLog(log)) ?? detail;
      if (await running(file) === null) {
        await truncateLog(log);
        await connect(file);
        if (this.#failedToStart.delete(one.name)) detail = "";
      }
    } catch (error) {
      this.#failedToStart.add(one.name);
      detail = error instanceof Error ? error.message : String(error);
    }
    // A report of an earlier run may be outdated.
    if (before === detail) return;
    this.#reported.set(one.name, detail);
    await reportProblem({ name: one.name, detail });
  }
}
