import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../../api/client.ts";
import { ApiProblem, textOf } from "../../../api/problem.ts";
import { askOf, type LogFilter, shows } from "./filter.ts";
import { useStream } from "./stream.ts";
import type { LogEntry, LogPart } from "../wire.ts";

/** Entries that are loaded at once. */
const PART = 100;
/** Entries that a page which follows along keeps. */
const KEPT = 1000;
/** Milliseconds after the last key before the log is searched. */
const SETTLE = 250;
/** Milliseconds before a log that did not answer is requested again. */
const RETRY = 3000;
/** Milliseconds between two turns of new entries. */
const TURN = 500;

/** The log as a page shows it. */
export interface Log {
  /** Null until the first part is there. */
  readonly entries: readonly LogEntry[] | null;
  readonly problem: ApiProblem | null;
  /** True while there is more to load. */
  readonly more: boolean;
  /** New entries that are not shown yet. */
  readonly waiting: number;
  /** Another number whenever entries were put on top. */
  readonly turn: number;
  readonly showNew: () => void;
  readonly loadMore: () => void;
}

interface State {
  readonly entries: readonly LogEntry[] | null;
  readonly next: number | null;
  readonly problem: ApiProblem | null;
  readonly fresh: readonly LogEntry[];
  readonly turn: number;
}

const EMPTY: State = { entries: null, next: null, problem: null, fresh: [], turn: 0 };

/** Loads the log by a filter, and follows new queries: on top at once, or on request. */
export function useLog(filter: LogFilter, follows: boolean): Log {
  const [state, setState] = useState<State>(EMPTY);
  const [again, setAgain] = useState(0);
  const turn = useRef(0);
  const received = useRef<LogEntry[]>([]);
  const meanwhile = useRef<LogEntry[] | null>(null);
  const key = JSON.stringify(filter);

  useEffect(() => {
    const mine = ++turn.current;
    const timer = setTimeout(() => {
      meanwhile.current = [];
      call<LogPart>({ path: ENTRIES, query: { ...askOf(filter), limit: String(PART) } }).then(
        ({ body }) => {
          if (mine !== turn.current) return;
          received.current = newerThan(body, meanwhile.current ?? []);
          meanwhile.current = null;
          setState((old) => ({
            entries: body.items,
            next: body.next,
            problem: null,
            fresh: [],
            turn: old.turn + 1,
          }));
        },
        (error) => {
          if (mine !== turn.current) return;
          meanwhile.current = null;
          setState((old) => ({ ...old, problem: of(error) }));
        },
      );
    }, state.entries === null ? 0 : SETTLE);
    return () => clearTimeout(timer);
  }, [key, again]);

  // A resolver that was away is requested again, so that the page comes to life with it.
  useEffect(() => {
    if (state.problem === null) return;
    const timer = setTimeout(() => setAgain((count) => count + 1), RETRY);
    return () => clearTimeout(timer);
  }, [state.problem]);

  useStream(`dns:serve:${filter.client}`, ({ topic, data }) => {
    if (topic.startsWith("dns:serve:") && shows(filter, data as LogEntry)) {
      received.current.push(data as LogEntry);
      meanwhile.current?.push(data as LogEntry);
    }
  });

  useEffect(() => {
    const timer = setInterval(() => {
      if (received.current.length === 0) return;
      const news = received.current.splice(0).reverse();
      setState((old) => {
        const merged = { ...old, fresh: newOnes(old, news).slice(0, KEPT) };
        return follows ? shown(merged) : merged;
      });
    }, TURN);
    if (follows) setState(shown);
    return () => clearInterval(timer);
  }, [follows]);

  return {
    entries: state.entries,
    problem: state.problem,
    more: state.next !== null,
    waiting: state.fresh.length,
    turn: state.turn,
    showNew: () => setState(shown),
    loadMore() {
      if (state.next === null) return;
      const mine = turn.current;
      const query = { ...askOf(filter), limit: String(PART), after: String(state.next) };
      call<LogPart>({ path: ENTRIES, query }).then(
        ({ body }) =>
          mine === turn.current &&
          setState((old) => ({
            ...old,
            entries: [...old.entries ?? [], ...body.items],
            next: body.next,
          })),
        (error) => mine === turn.current && setState((old) => ({ ...old, problem: of(error) })),
      );
    },
  };
}

const ENTRIES = "/plugins/dns/log/entries";

/** What the stream brought while a part was loading and is not in it, for it was queried later. */
export function newerThan(part: LogPart, received: readonly LogEntry[]): LogEntry[] {
  const newest = part.items[0]?.id ?? -1;
  return received.filter(({ id }) => id > newest);
}

/** The new ones before those that wait already; what is shown is not new. */
function newOnes(state: State, news: readonly LogEntry[]): readonly LogEntry[] {
  const known = new Set(
    [...state.fresh, ...(state.entries ?? []).slice(0, KEPT)].map(({ id }) => id),
  );
  return [...news.filter(({ id }) => !known.has(id)), ...state.fresh];
}

/** What waits goes on top. */
function shown(state: State): State {
  if (state.fresh.length === 0 || state.entries === null) return state;
  const entries = [...state.fresh, ...state.entries];
  const cut = entries.length > KEPT;
  return {
    ...state,
    entries: entries.slice(0, KEPT),
    next: cut ? entries[KEPT - 1]!.id : state.next,
    fresh: [],
    turn: state.turn + 1,
  };
}

function of(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : new ApiProblem(0, textOf(error));
}
