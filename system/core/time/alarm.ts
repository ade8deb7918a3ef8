/** Calls back after so many milliseconds unless the returned function is called; tests pass their own. */
export type Alarm = (callback: () => void, milliseconds: number) => () => void;

/** The alarm of this machine. */
export const timeoutAlarm: Alarm = (callback, milliseconds) => {
  const id = setTimeout(callback, milliseconds);
  return () => clearTimeout(id);
};
