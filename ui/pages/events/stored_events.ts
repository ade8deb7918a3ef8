import { useEffect, useState } from "preact/hooks";
import { type Answer, call } from "../../api/client.ts";
import { textOf } from "../../api/problem.ts";
import { type ShownEvent, storedEvent } from "./wire.ts";

/** What was found of the stored events of a topic so far. */
export interface StoredEvents {
  /** Latest first. */
  readonly events: readonly ShownEvent[];
  /** Unix milliseconds of what was looked at last, while the search goes on; null when it has ended. */
  readonly searchedTo: number | null;
  readonly problem: string | null;
}

const NOTHING: StoredEvents = { events: [], searchedTo: null, problem: null };

/**
 * Searches the stored events of a topic, latest first, until so many were found; those that match a
 * condition, where it is not empty. Null searches nothing. The router ends a search after some seconds:
 * it is gone on with from there.
 */
export function useStoredEvents(
  search: { readonly topic: string; readonly condition: string; readonly num: number } | null,
): StoredEvents {
  const [state, setState] = useState(NOTHING);
  const { topic = "", condition = "", num = 0 } = search ?? {};
  useEffect(() => {
    setState(NOTHING);
    if (topic === "") return;
    let isLeft = false;
    const set = (next: StoredEvents): void => void (isLeft || setState(next));
    void searched({ topic, condition, num }, { set, isLeft: () => isLeft });
    return () => void (isLeft = true);
  }, [topic, condition, num]);
  return state;
}

async function searched(
  { topic, condition, num }: { topic: string; condition: string; num: number },
  { set, isLeft }: { set: (state: StoredEvents) => void; isLeft: () => boolean },
): Promise<void> {
  const path = `/plugins/db/items/${encodeURIComponent(topic)}`;
  const found: ShownEvent[] = [];
  let max: string | null = null;
  try {
    do {
      const query: Record<string, string> = {
        num: String(num - found.length),
        ...(condition === "" ? {} : { filter: condition }),
        ...(max === null ? {} : { max }),
      };
      const { body, stoppedAt }: Answer<readonly unknown[] | null> = await call<
        readonly unknown[] | null
      >({ path, query });
      found.push(...(body ?? []).map((item) => storedEvent(topic, item)));
      max = found.length < num ? stoppedAt : null;
      const searchedTo = max === null ? null : Date.parse(max);
      set({ events: [...found], searchedTo, problem: null });
    } while (max !== null && !isLeft());
  } catch (error) {
    set({ events: found, searchedTo: null, problem: textOf(error) });
  }
}
