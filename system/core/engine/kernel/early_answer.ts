/** Milliseconds for which an answer may leave before the way that it takes is changed. */
const LEAVING = 100;

/** Waits until an answer that was just given has left the machine, as far as one can tell. */
export function answerLeaves(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LEAVING));
}
