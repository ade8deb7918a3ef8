/** Calls back after so many milliseconds unless the returned function is called; tests pass their own. */
export type Alarm = (callback: () => void, milliseconds: number) => () => void;

/** The alarm of this machine. */
export const timeoutAlarm: Alarm = (callback, milliseconds) => {
  const id = setTimeout(callback, milliseconds);
  return () => clearTimeout(id);
};

/** Waits for the work, but no longer than so many milliseconds. Rejects when the work does in time. */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, milliseconds));
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
