import type { Dialled, ProblemReport } from "../plan_schema.ts";
import { problemIn } from "./ppp_log.ts";
import { providerText } from "./ppp_text.ts";

/** What dialled connections need from outside. */
export interface PppDeps {
  /** Writes a file that only we may read, whole or not at all; true when it is another than before. */
  readonly write: (name: string, text: string) => Promise<boolean>;
  readonly remove: (name: string) => Promise<void>;
  /** Files that are there. */
  readonly list: () => Promise<readonly string[]>;
  /** The end of what a log says, or "" when there is none. A log that has grown long begins anew. */
  readonly said: (name: string) => Promise<string>;
  /** Begins a log anew; only we may read it. */
  readonly begin: (name: string) => Promise<void>;
  /** The whole path of a file. */
  readonly path: (name: string) => string;
  /** Process that runs with the options of a file, or null. */
  readonly running: (file: string) => Promise<number | null>;
  /** Starts pppd with the options of a file; it goes on by itself. Throws Problem with its words. */
  readonly dial: (file: string) => Promise<void>;
  /** Ends what was started with the options of a file, if it runs. */
  readonly hangUp: (file: string) => Promise<void>;
  readonly reportProblem: (report: ProblemReport) => Promise<void>;
}

const PEER = "peers/provider_";
const LOG = "log/provider_";

/**
 * Keeps pppd running for each enabled account. It outlives us: a connection of before is found by the
 * file that it was started with and stays, unless its account is another.
 */
export class PppConnections {
  readonly #deps: PppDeps;
  readonly #reported = new Map<string, string>();
  /** Accounts for which pppd did not start. */
  readonly #undialled = new Set<string>();

  constructor(deps: PppDeps) {
    this.#deps = deps;
  }

  /**
   * Dials what should be and is not, hangs up what should not be. One that cannot be ended keeps no
   * other from being dialled; its fault is thrown at the end.
   */
  async adapt(wanted: readonly Dialled[]): Promise<void> {
    const names = new Set(wanted.map(({ name }) => name));
    const faults: unknown[] = [];
    for (const file of await this.#deps.list()) {
      const name = file.startsWith(PEER) ? file.slice(PEER.length) : null;
      if (name === null || names.has(name)) continue;
      await this.#end(name).catch((error) => faults.push(error));
    }
    for (const one of wanted) await this.#keep(one);
    if (faults.length > 0) throw faults[0];
  }

  async #end(name: string): Promise<void> {
    const { remove, hangUp } = this.#deps;
    await hangUp(`${PEER}${name}`);
    await remove(`${PEER}${name}`);
    await remove(`${LOG}${name}`);
    this.#reported.delete(name);
    this.#undialled.delete(name);
  }

  async #keep(one: Dialled): Promise<void> {
    const { write, running, dial, hangUp, said, begin, path, reportProblem } = this.#deps;
    const file = `${PEER}${one.name}`, log = `${LOG}${one.name}`;
    const before = this.#reported.get(one.name);
    let detail = before ?? "";
    try {
      if (await write(file, providerText(one, path(log)))) {
        await hangUp(file);
        await begin(log);
        detail = "";
      }
      detail = problemIn(await said(log)) ?? detail;
      if (await running(file) === null) {
        await begin(log);
        await dial(file);
        if (this.#undialled.delete(one.name)) detail = "";
      }
    } catch (error) {
      this.#undialled.add(one.name);
      detail = error instanceof Error ? error.message : String(error);
    }
    // What was told before we came may be over.
    if (before === detail) return;
    this.#reported.set(one.name, detail);
    await reportProblem({ name: one.name, detail });
  }
}
