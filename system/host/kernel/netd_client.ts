import type { Facts } from "../../core/kernel/facts.ts";
import { type BlockedRanges, encodeRanges } from "../../core/kernel/blocked_ranges.ts";
import type {
  BlockedCounters,
  Finding,
  Flow,
  Host,
  KernelEvent,
  LiveFlows,
  LiveFlowsQuery,
  TrafficReading,
} from "../../core/kernel/host.ts";
import { PacketReport } from "../../core/kernel/logged_packet.ts";
import type { KernelStep } from "../../core/kernel/plan.ts";
import type { Inspection, InspectionEntry } from "../../core/kernel/inspection.ts";
import { ConnectFault, HttpClient } from "../../core/ipc/http/client.ts";
import { askWhole, type WholeAnswer } from "../../core/ipc/http/whole.ts";
import { pause } from "../../core/time/pause.ts";
import { Problem } from "../../core/errors/problem.ts";
import { followNetd } from "./netd_stream.ts";
import { stepToWire } from "./netd_wire.ts";

/** Timeouts of each kind of call in seconds. */
export interface Deadlines {
  readonly read: number;
  readonly write: number;
  /** A whole load with hundreds of thousands of elements takes seconds on a small router. */
  readonly load: number;
  /** Between two heartbeats of the event stream; netd sends one every 5 s. */
  readonly silence: number;
}

/** Longer than netd's own, whose errors are more specific; see {@link import("../../network/kernel/deadlines.ts")}. */
const NETD_DEADLINES: Deadlines = { read: 25, write: 40, load: 100, silence: 15 };
/** Between attempts to connect to netd. */
const RETRY_INTERVAL_MS = 200;
/** Between attempts to read the packet log. */
const PACKETS_RETRY_MS = 1000;
/** How long a call waits for a netd that cannot be connected to, such as one that is being restarted. */
const CONNECT_TIMEOUT_MS = 5000;

/** Options of the connection to netd. */
export interface NetdClientOptions extends Partial<Deadlines> {
  /**
   * Replaces a netd that did not respond in time: it may be stuck in the kernel. The call fails only
   * when this is done, so that the next call finds the new netd.
   */
  readonly replace?: () => Promise<void>;
}

/** A kernel behind netd's socket. Calls reject with Problem 502 when netd does not respond in time. */
export function netdClient(path: string, options: NetdClientOptions = {}): Host {
  const { replace, ...deadlines } = options;
  return new NetdClient(path, { ...NETD_DEADLINES, ...deadlines }, replace);
}

interface Call {
  readonly path: string;
  readonly body?: unknown;
  /** Sent as it is, instead of JSON. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly seconds: number;
  /** It must not be done twice. */
  readonly changes?: true;
}

class NetdClient implements Host {
  readonly kind = "linux";
  readonly #deadlines: Deadlines;
  readonly #calls: HttpClient;
  /** For streams alone. */
  readonly #streams: Deno.HttpClient;
  readonly #closed = new AbortController();
  readonly #listeners = new Set<(event: KernelEvent) => void>();
  readonly #replace: (() => Promise<void>) | undefined;
  readonly #packets = new Set<Promise<void>>();
  #watching: Promise<void> | null = null;

  constructor(path: string, deadlines: Deadlines, replace?: () => Promise<void>) {
    this.#deadlines = deadlines;
    this.#replace = replace;
    this.#calls = new HttpClient(() => path);
    this.#streams = Deno.createHttpClient({ proxy: { transport: "unix", path } });
  }

  async facts(): Promise<Facts> {
    return await this.#call({ path: "/facts", seconds: this.#deadlines.read }) as Facts;
  }

  async apply(step: KernelStep): Promise<void> {
    const seconds = this.#deadlines[step.kind === "load" ? "load" : "write"];
    await this.#call({ path: "/apply", body: stepToWire(step), seconds, changes: true });
  }

  async applyAll(steps: readonly KernelStep[]): Promise<void> {
    const seconds = steps.map(({ kind }) => this.#deadlines[kind === "load" ? "load" : "write"])
      .reduce((sum, one) => sum + one, 0);
    await this.#call({ path: "/plan", body: steps.map(stepToWire), seconds, changes: true });
  }

  async flows(addresses: readonly string[]): Promise<readonly Flow[]> {
    if (addresses.length === 0) return [];
    const call = { path: "/flows", body: addresses, seconds: this.#deadlines.read };
    return await this.#call(call) as readonly Flow[];
  }

  async flushFlows(flows: readonly Flow[]): Promise<void> {
    if (flows.length === 0) return;
    const seconds = this.#deadlines.write;
    await this.#call({ path: "/flush-flows", body: flows, seconds, changes: true });
  }

  async routeTo(address: string): Promise<string | null> {
    const call = { path: "/route", body: [address], seconds: this.#deadlines.read };
    return await this.#call(call) as string | null;
  }

  async traffic(flows?: Parameters<Host["traffic"]>[0]): Promise<TrafficReading> {
    const call = { path: "/traffic", body: flows ?? null, seconds: this.#deadlines.read };
    return await this.#call(call) as TrafficReading;
  }

  async linkBytes(): ReturnType<Host["linkBytes"]> {
    const call = { path: "/link-bytes", seconds: this.#deadlines.read };
    return await this.#call(call) as Awaited<ReturnType<Host["linkBytes"]>>;
  }

  async liveFlows(query: LiveFlowsQuery): Promise<LiveFlows> {
    const call = { path: "/live-flows", body: query, seconds: this.#deadlines.read };
    return await this.#call(call) as LiveFlows;
  }

  async block(ranges: BlockedRanges | null): Promise<void> {
    const bytes = ranges === null ? new Uint8Array() : encodeRanges(ranges);
    await this.#call({ path: "/block", bytes, seconds: this.#deadlines.load, changes: true });
  }

  async blocked(): Promise<BlockedCounters | null> {
    const call = { path: "/blocked", seconds: this.#deadlines.read };
    return await this.#call(call) as BlockedCounters | null;
  }

  async countBlocked(): Promise<number> {
    return await this.#call({ path: "/count-blocked", seconds: this.#deadlines.load }) as number;
  }

  async inspect(what: Inspection): Promise<readonly InspectionEntry[]> {
    const call = { path: "/inspect", body: what, seconds: this.#deadlines.read };
    return await this.#call(call) as readonly InspectionEntry[];
  }

  async compare(thorough: boolean): Promise<readonly Finding[]> {
    const seconds = this.#deadlines[thorough ? "load" : "write"];
    return await this.#call({ path: "/compare", body: thorough, seconds }) as readonly Finding[];
  }

  watch(listener: (event: KernelEvent) => void): () => void {
    this.#listeners.add(listener);
    this.#watching ??= this.#follow();
    return () => this.#listeners.delete(listener);
  }

  followPackets(
    report: (report: PacketReport) => void,
    failed: (error: unknown) => void,
  ): () => void {
    const ended = new AbortController();
    const following = followNetd({
      http: this.#streams,
      path: "/packets",
      signal: AbortSignal.any([ended.signal, this.#closed.signal]),
      silence: this.#deadlines.silence,
      retry: PACKETS_RETRY_MS,
      onLine: (line) => report(PacketReport.parse(JSON.parse(line))),
      onRefused: failed,
    });
    this.#packets.add(following);
    void following.then(() => this.#packets.delete(following));
    return () => ended.abort();
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#closed.abort();
    await Promise.all([this.#watching, ...this.#packets]);
    this.#calls.close();
    this.#streams.close();
  }

  async #call(call: Call): Promise<unknown> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), call.seconds * 1000);
    const signal = AbortSignal.any([late.signal, this.#closed.signal]);
    try {
      const { status, text } = await this.#send(call, signal);
      const answer: unknown = text === "" ? null : JSON.parse(text);
      if (status < 300) return answer;
      throw problemOf(status, answer);
    } catch (error) {
      if (error instanceof Problem) throw error;
      if (this.#closed.signal.aborted) {
        throw new Problem(503, "The connection to netd is closed", { cause: error });
      }
      if (late.signal.aborted) await this.#replaceStuck();
      const detail = late.signal.aborted
        ? `netd did not answer ${call.path} within ${call.seconds} seconds`
        : `netd did not answer ${call.path}: is it running?`;
      throw new Problem(502, detail, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async #replaceStuck(): Promise<void> {
    try {
      await this.#replace?.();
    } catch {
      // Under systemd there is no launcher; netd's own deadline remains.
    }
  }

  /** Sends the call, retrying while netd cannot be connected to: then nothing was sent. */
  async #send(
    { path, body, bytes, changes }: Call,
    signal: AbortSignal,
  ): Promise<WholeAnswer> {
    const sent = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    const request = {
      method: sent === undefined ? "GET" : "POST",
      path,
      body: sent,
      // What a kept connection does not answer may have been done before netd died.
      reuse: changes === true ? "never" : "again",
    } as const;
    const start = performance.now();
    while (true) {
      try {
        return await askWhole(this.#calls, request, signal);
      } catch (error) {
        const isTimedOut = performance.now() - start >= CONNECT_TIMEOUT_MS;
        if (signal.aborted || isTimedOut || !(error instanceof ConnectFault)) throw error;
        await pause(RETRY_INTERVAL_MS, signal);
      }
    }
  }

  #follow(): Promise<void> {
    return followNetd({
      http: this.#streams,
      path: "/events",
      signal: this.#closed.signal,
      silence: this.#deadlines.silence,
      retry: RETRY_INTERVAL_MS,
      onConnected: (again) => {
        if (again) this.#emit({ kind: "reconnected" });
      },
      onLine: (line) => this.#emit(JSON.parse(line) as KernelEvent),
    });
  }

  #emit(event: KernelEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}

function problemOf(status: number, answer: unknown): Problem {
  const detail = typeof answer === "object" && answer !== null && "detail" in answer
    ? String(answer.detail)
    : "netd answered an error without words";
  // A step that netd does not understand is an internal error, not the caller's.
  return new Problem(status === 400 || status === 404 || status >= 502 ? status : 502, detail);
}
