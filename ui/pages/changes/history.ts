import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { textOf } from "../../api/problem.ts";
import { changeEvents } from "../../state/store.ts";
import type { Change, Page } from "../../wire.ts";

export interface History {
  /** Newest first; null until loaded once. */
  readonly items: readonly Change[] | null;
  readonly next: string | null;
  readonly problem: string | null;
  readonly more: () => Promise<void>;
}

/** Merges a newer first page into the loaded changes; newer entries win. */
export function join(fresh: readonly Change[], older: readonly Change[]): readonly Change[] {
  const known = new Set(fresh.map((change) => change.id));
  return [...fresh, ...older.filter((change) => !known.has(change.id))];
}

/** What the history is searched for; empty for everything. */
export interface HistoryFilter {
  readonly by: string;
  readonly what: string;
}

/** The history, its first page loaded anew whenever something changes. */
export function useHistory({ by, what }: HistoryFilter): History {
  const [items, setItems] = useState<readonly Change[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const seen = changeEvents.value;
  const shown = useRef("");

  async function load(after: string | null): Promise<void> {
    const filter = JSON.stringify([by, what]);
    // What another filter found is no part of this list.
    const isOther = filter !== shown.current;
    shown.current = filter;
    try {
      const query = {
        ...(after === null ? {} : { after }),
        ...(by === "" ? {} : { by }),
        ...(what === "" ? {} : { what }),
      };
      const { body } = await call<Page<Change>>({ path: "/changes", query });
      if (shown.current !== filter) return;
      setItems((old) =>
        isOther
          ? body.items
          : after === null
          ? join(body.items, old ?? [])
          : join(old ?? [], body.items)
      );
      setNext((old) => !isOther && after === null && old !== null ? old : body.next);
      setProblem(null);
    } catch (error) {
      setProblem(textOf(error));
    }
  }

  useEffect(() => void load(null), [seen, by, what]);
  return { items, next, problem, more: () => load(next) };
}
