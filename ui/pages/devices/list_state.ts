import { useEffect, useRef, useState } from "preact/hooks";
import type { Device } from "../../wire.ts";
import { type Entry, steady } from "./order.ts";

const TICK = 30_000;
/** Rows of the first screens, and how many more are drawn at a time after them. */
const FIRST = 100;
const STEP = 250;

/** Keeps rows in their place while the world changes, until they are sorted anew. */
export function useSteady(
  wanted: readonly Entry[],
  key: string,
): { rows: readonly Entry[]; moved: number; resort: () => void } {
  const last = useRef<{ key: string; order: readonly string[] }>({ key: "", order: [] });
  const [, draw] = useState(0);
  const ids = wanted.map(([identity]) => identity);
  const { order, moved } = last.current.key === key
    ? steady(last.current.order, ids)
    : { order: ids, moved: 0 };
  last.current = { key, order };
  const byId = new Map(wanted);
  const rows = order.map((identity): Entry => [identity, byId.get(identity) as Device]);
  const resort = () => {
    last.current = { key, order: ids };
    draw((n) => n + 1);
  };
  return { rows, moved, resort };
}

/** The time, as far as ages in a table need it. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** `/` goes to the filter from anywhere that is not a field. */
export function useSlash(): { current: HTMLInputElement | null } {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const place = event.target as HTMLElement;
      if (event.key !== "/" || place.closest("input, textarea, select, dialog") !== null) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  return field;
}

/**
 * How many of the rows to draw: those that were drawn already and the first screens at once, the
 * others in steps after it, so that the answer to a key waits for no row that nobody sees.
 */
export function useGrowing(total: number): number {
  const drawn = useRef(0);
  const [, draw] = useState(0);
  const limit = Math.min(total, Math.max(FIRST, drawn.current));
  useEffect(() => {
    drawn.current = limit;
    if (limit >= total) return;
    const timer = setTimeout(() => {
      drawn.current = limit + STEP;
      draw((n) => n + 1);
    });
    return () => clearTimeout(timer);
  }, [limit, total]);
  return limit;
}
