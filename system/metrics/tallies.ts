import type { Bus } from "../core/events/bus.ts";

/** Areas of topics that are told apart; topics that others publish are not to make more of them. */
const MAX_AREAS = 64;

/** Where the time of a request goes: until its caller is known, its parts are valid, it is answered. */
export type RequestStage = "authorized" | "validated" | "handled" | "whole";

/** Times that something took, together. */
interface Times {
  seconds: number;
  count: number;
}

/** Counts what metrics tell of the api itself: how long changes take, and how many events there are. */
export class Tallies {
  readonly stages = new Map<string, Times>();
  readonly requests = new Map<RequestStage, Times>();
  readonly events = new Map<string, number>();
  readonly #steady: () => number;
  readonly #unsubscribe: () => void;
  /** Monotonic milliseconds of the step before; null: none of this change. */
  #lastAt: number | null = null;

  /** `steady`: monotonic milliseconds. */
  constructor(bus: Pick<Bus, "subscribe">, steady: () => number) {
    this.#steady = steady;
    this.#unsubscribe = bus.subscribe(({ topic }) => {
      const area = topic.split(":", 1)[0]!;
      const count = this.events.get(area);
      if (count !== undefined || this.events.size < MAX_AREAS) {
        this.events.set(area, (count ?? 0) + 1);
      }
    });
  }

  /** The engine arrived at a step of a change: the time since the one before is this one's. */
  step(point: string): void {
    const at = this.#steady();
    const last = this.#lastAt;
    // Files are marked as written at leisure, after the change.
    this.#lastAt = point === "written" ? null : at;
    if (last === null || point === "change:taken" || point === "written") return;
    add(this.stages, point.startsWith("kernel:") ? "kernel" : point, at - last);
  }

  /** A request arrived at a stage that took so many milliseconds. */
  request(stage: RequestStage, milliseconds: number): void {
    add(this.requests, stage, milliseconds);
  }

  close(): void {
    this.#unsubscribe();
  }
}

function add<K>(times: Map<K, Times>, key: K, milliseconds: number): void {
  let found = times.get(key);
  if (found === undefined) times.set(key, found = { seconds: 0, count: 0 });
  found.seconds += Math.max(0, milliseconds) / 1000;
  found.count++;
}
