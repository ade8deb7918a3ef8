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
