import { createHash } from "node:crypto";
import type { Config } from "../../../system/config.ts";
import type { Desired } from "../../../system/core/kernel/desired.ts";
import type {
  ChangeEngine,
  ChangeOptions,
  Command,
  NetworkState,
  Observations,
  Outcome,
  Planner,
  Preview,
} from "../../../system/core/engine/change.ts";

/**
 * A change engine without a kernel and without files: decides one command after the other, later
 * than it was asked to, so that what comes in together meets as in the real one.
 */
export class PlainEngine implements ChangeEngine<Config> {
  config: Config;
  observed: Observations = { devices: {} };
  readonly network: NetworkState = { state: "model", detail: null };
  /** Options of every change, in order. */
  readonly requested: ChangeOptions[] = [];
  /** Kinds of the commands that changed something, in order. */
  readonly kinds: string[] = [];
  #queue: Promise<unknown> = Promise.resolve();

  constructor(config: Config) {
    this.config = config;
  }

  get desired(): Desired {
    throw new Error("A plain engine has no kernel");
  }

  get planner(): Planner<Config> {
    throw new Error("A plain engine plans nothing");
  }

  etag(document: keyof Config & string): string {
    const text = JSON.stringify(this.config[document]);
    return `"${createHash("sha256").update(text).digest("base64url")}"`;
  }

  secretVersion(): number {
    return 0;
  }

  change<R>(command: Command<Config, R>, options: ChangeOptions): Promise<Outcome<R>> {
    const outcome = this.#queue.then(() => this.#decide(command, options));
    this.#queue = outcome.catch(() => {});
    return outcome;
  }

  preview<R>(command: Command<Config, R>): Promise<Preview> {
    return new Promise((resolve) => {
      command.reduce(this.config);
      resolve({
        config: [],
        effects: [],
        system: [],
        addresses: [],
        firstApply: null,
        reach: { allowed: [], denied: [], more: 0, own: null },
        refusals: [],
      });
    });
  }

  *prepareTag(): Generator<void, void> {}

  observe(update: (observed: Observations) => Observations): Promise<void> {
    this.observed = update(this.observed);
    return Promise.resolve();
  }

  followLink(): Promise<void> {
    return Promise.resolve();
  }

  #decide<R>(command: Command<Config, R>, options: ChangeOptions): Outcome<R> {
    this.requested.push(options);
    options.precondition?.((document) => this.etag(document as keyof Config & string));
    const [next, result] = command.reduce(this.config);
    if (options.observe) this.observed = options.observe(this.observed);
    if (next === this.config) return { result, id: null };
    this.config = next;
    this.kinds.push(command.kind);
    return { result, id: String(this.kinds.length) };
  }
}
