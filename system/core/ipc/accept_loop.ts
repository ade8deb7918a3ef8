import type { ListenerWatch } from "./watched_server.ts";

/** Milliseconds before accepting again after that failed, as it does when descriptors run out. */
const PAUSE = 200;

/** Accepts connections until `open` says no, whatever fails meanwhile. Never throws. */
export async function acceptLoop<C>(
  listener: { accept(): Promise<C> },
  options: {
    readonly name: string;
    readonly open: () => boolean;
    readonly receive: (connection: C) => void;
    readonly watch: ListenerWatch;
  },
): Promise<void> {
  const { name, open, receive, watch } = options;
  let failing = false;
  while (open()) {
    try {
      const connection = await listener.accept();
      if (failing) watch.back(name);
      failing = false;
      receive(connection);
    } catch (error) {
      if (!open()) return;
      // A client that is gone before it was accepted is no fault of ours.
      if (error instanceof Deno.errors.ConnectionAborted) continue;
      if (!failing) watch.died(name, error);
      failing = true;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}
