/** Sends a signal to a child process; does nothing once it has exited. */
export function signalChild(child: Pick<Deno.ChildProcess, "kill">, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}
