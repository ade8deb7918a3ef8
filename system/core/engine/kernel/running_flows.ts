import type { Planner } from "../change.ts";
import { errorText } from "../../errors/error_text.ts";
import type { Desired } from "../../kernel/desired.ts";
import type { Flow, Host } from "../../kernel/host.ts";
import type { Log } from "../../log/log.ts";
import type { NoticeBoard } from "../../events/notice.ts";
import { within } from "../../time/timeouts.ts";

/** Milliseconds that a change waits for its connections to end; they are ended all the same. */
const FLUSH_TIMEOUT_MS = 5000;

/** Pause before the first further try, and the longest one, in seconds. */
const RETRY_DELAY_S = { first: 5, longest: 60 } as const;

const NOTICE = "flows-not-flushed";

/** Connections to end, of all that have one of the addresses on either side. */
export interface FlowsToEnd {
  /** Names the reason; what is left of one reason is tried again together. */
  readonly reason: string;
  readonly addresses: readonly string[];
  /** Those that must end by what holds now; called at each try. */
  readonly select: (flows: readonly Flow[]) => readonly Flow[];
}

/** Options of {@link RunningFlows}. */
export interface RunningFlowsOptions {
  readonly host: () => Host;
  readonly notices: NoticeBoard;
  readonly log: Log;
  /** Boot clock, in seconds. */
  readonly clock: () => number;
  /** Default 5 s. */
  readonly timeoutMs?: number;
}

/**
 * Ends running connections, and goes on trying where the kernel or its tool fails or hangs. A notice is
 * open while some that must end are left.
 */
export class RunningFlows {
  readonly #options: RunningFlowsOptions;
  /** What is left, the part that is being tried included. */
  readonly #left = new Set<FlowsToEnd>();
  /** A notice may be open, as one of an earlier run may. */
  #isReported = true;
  #retrying = false;
  #closed = false;
  #pause: number = RETRY_DELAY_S.first;
  #tryAt = 0;

  constructor(options: RunningFlowsOptions) {
    this.#options = options;
  }

  /** Ends connections; what fails or takes longer than some seconds goes on later. Never throws. */
  async end(flows: FlowsToEnd): Promise<void> {
    const milliseconds = this.#options.timeoutMs ?? FLUSH_TIMEOUT_MS;
    let done = false;
    const work = this.#tryTwice(flows).finally(() => done = true);
    await within(milliseconds, work);
    if (!done) {
      await this.#keep(flows, `They were not read and ended within ${milliseconds / 1000} seconds`);
    }
  }

  /** Tries again what is left, when it is time; does not wait for it. */
  tick(): void {
    if (this.#retrying || this.#left.size === 0 || this.#options.clock() < this.#tryAt) return;
    this.#retrying = true;
    void this.#retry().finally(() => this.#retrying = false);
  }

  /** Nothing is tried or reported any more. */
  close(): void {
    this.#closed = true;
    this.#left.clear();
  }

  async #retry(): Promise<void> {
    this.#pause = Math.min(this.#pause * 2, RETRY_DELAY_S.longest);
    const waiting = [...this.#left];
    for (const reason of new Set(waiting.map((flows) => flows.reason))) {
      const together = waiting.filter((flows) => flows.reason === reason);
      const addresses = [...new Set(together.flatMap((flows) => flows.addresses))];
      const flows = { ...together.at(-1)!, addresses };
      for (const one of together) this.#left.delete(one);
      this.#left.add(flows);
      await this.#tryTwice(flows);
    }
    this.#tryAt = this.#options.clock() + this.#pause;
  }

  /** A second try asks for the rest alone: what was ended is gone from the list. Never throws. */
  async #tryTwice(flows: FlowsToEnd): Promise<void> {
    const first = await this.#try(flows);
    const second = first.addresses.length === 0 ? first : await this.#try(first);
    if (second.addresses.length > 0) return await this.#keep(flows, second.error, second.addresses);
    this.#left.delete(flows);
    if (!this.#isReported || this.#left.size > 0) return;
    this.#isReported = false;
    this.#pause = RETRY_DELAY_S.first;
    await this.#save(this.#options.notices.settle(NOTICE));
  }

  /** Tries once, each family by itself: different tools list them. What is left, and why. */
  async #try(flows: FlowsToEnd): Promise<FlowsToEnd & { readonly error: string }> {
    const isV6 = (address: string): boolean => address.includes(":");
    const families = [
      flows.addresses.filter((address) => !isV6(address)),
      flows.addresses.filter(isV6),
    ].filter((addresses) => addresses.length > 0);
    const host = this.#options.host();
    const tries = await Promise.allSettled(families.map(async (addresses) => {
      const ending = flows.select(await host.flows(addresses));
      if (ending.length > 0) await host.flushFlows(ending);
    }));
    const failed = tries.flatMap((one, at) =>
      one.status === "rejected" ? [{ addresses: families[at]!, error: errorText(one.reason) }] : []
    );
    return {
      ...flows,
      addresses: failed.flatMap(({ addresses }) => addresses),
      error: failed[0]?.error ?? "",
    };
  }

  /** Keeps what is left for later, and opens the notice. */
  async #keep(
    flows: FlowsToEnd,
    error: string,
    addresses: readonly string[] = flows.addresses,
  ): Promise<void> {
    if (this.#closed) return;
    const isNew = this.#left.size === 0;
    this.#left.delete(flows);
    this.#left.add(addresses === flows.addresses ? flows : { ...flows, addresses });
    if (!this.#retrying) this.#tryAt = this.#options.clock() + this.#pause;
    if (!isNew) return;
    this.#isReported = true;
    const detail = `Running connections that must end could not be ended: ${error}. ` +
      "It is tried again until they are";
    this.#options.log.error("engine.flows_not_flushed", detail);
    await this.#save(this.#options.notices.open(NOTICE, detail));
  }

  async #save(work: Promise<void>): Promise<void> {
    await work.catch((error) => {
      this.#options.log.error("notices.write_failed", "Could not save a notice", { error });
    });
  }
}

/** The state that connections are judged by. */
interface FlowJudge<C> {
  readonly planner: Planner<C>;
  readonly desired: Desired;
}

/** True when the side that opened the connection could open it again. */
export function mayBegin<C>(flow: Flow, { planner, desired }: FlowJudge<C>): boolean {
  const packet = planner.firstPacket(desired, {
    source: flow.source,
    destination: flow.destination,
    protocol: flow.protocol,
    ...(flow.sport === undefined ? {} : { sport: flow.sport }),
    ...(flow.dport === undefined ? {} : { dport: flow.dport }),
  });
  return planner.trace(desired, packet).verdict === "accept";
}
