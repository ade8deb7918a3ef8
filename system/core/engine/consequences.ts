/** A value of a configuration at the time from which a change brings entries back. */
export type Past<C> = <K extends keyof C & string>(document: K) => C[K];

/** A change that a command decided, before what follows from it. */
export interface ChangeContext<C> {
  readonly before: C;
  readonly after: C;
  /** Where it brings entries back, as an undo does: the configuration that they come from. */
  readonly past: Past<C> | null;
}

/** What follows from a change in the same transaction. */
export interface Consequences<C> {
  readonly config: C;
  /** One sentence each, for the preview. */
  readonly effects: readonly string[];
}

/** Computes what follows from a change in other parts of the configuration. Pure; never throws. */
export type Follow<C> = (change: ChangeContext<C>) => Consequences<C>;

/** One after the other: each sees what the one before made of the change. */
export function followAll<C>(all: readonly Follow<C>[]): Follow<C> {
  return (change) =>
    all.reduce<Consequences<C>>(({ config, effects }, follow) => {
      const next = follow({ ...change, after: config });
      return { config: next.config, effects: [...effects, ...next.effects] };
    }, { config: change.after, effects: [] });
}
