/** Runs some work; answers the words of the faults that were told meanwhile because nobody caught them. */
export async function faultsOf(work: () => void | Promise<void>): Promise<readonly string[]> {
  const faults: string[] = [];
  const hear = (event: ErrorEvent): void => {
    event.preventDefault();
    faults.push(event.error.message);
  };
  addEventListener("error", hear);
  try {
    await work();
  } finally {
    removeEventListener("error", hear);
  }
  return faults;
}
