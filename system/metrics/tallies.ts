import type { Bus } from "../core/events/bus.ts";

/** Areas of topics that are told apart; topics that others publish are not to make more of them. */
const MAX_AREAS = 64;

/** Counts what metrics tell of the api itself: how long changes take, and how many events there are. */
export class Tallies {
  readonly stages = new Map<string, { seconds: number; count: number }>();
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
  step(point: string, isFirst: boolean): void {
    const at = this.#steady();
    const last = this.#lastAt;
    // Files are marked as written at leisure, after the change.
    this.#lastAt = point === "written" ? null : at;
    if (last === null || isFirst || point === "written") return;
    const name = point.startsWith("kernel:") ? "kernel" : point;
    const stage = this.stages.get(name) ?? { seconds: 0, count: 0 };
    stage.seconds += Math.max(0, at - last) / 1000;
    stage.count++;
    this.stages.set(name, stage);
  }

  close(): void {
    this.#unsubscribe();
  }
}
