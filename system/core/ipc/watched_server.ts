import type { NoticeBoard } from "../events/notice.ts";
import type { Log } from "../log/log.ts";

/** An HTTP server that comes back when its accept loop ends. */
export interface WatchedServer {
  /** Address of the server that runs now, or ran last. */
  readonly addr: Deno.Addr;
  /** Stops accepting and waits for running requests. */
  shutdown(): Promise<void>;
}

/** Told that a listener died, and that it listens again. */
export interface ListenerWatch {
  died(listener: string, error: unknown): void;
  back(listener: string): void;
}

/** Tells nobody. */
export const UNWATCHED: ListenerWatch = { died() {}, back() {} };

/** Writes what becomes of listeners to the log, and tells people where there is a board. */
export function listenerWatch(
  log: Log,
  notices: () => NoticeBoard | null = () => null,
): ListenerWatch {
  const failed = (error: unknown): void =>
    log.error("http.notice_failed", "A listener's notice could not be written", { error });
  return {
    died(listener, error) {
      log.error("http.listener_died", "A listener died; it is opened again", { listener, error });
      notices()?.open(
        "listener-died",
        `The listener ${listener} stopped accepting connections, and is opened again. This happens when the process has too many files and connections open.`,
        { subject: listener },
      ).catch(failed);
    },
    back(listener) {
      log.info("http.listener_back", "The listener accepts connections again", { listener });
    },
  };
}

/** Milliseconds before listening again. */
const RELISTEN = 200;

/**
 * Keeps a server listening: Deno's accept loop ends for good when the process runs out of file
 * descriptors, and would leave a process that runs and answers nobody. `start` is called again until
 * it succeeds. Throws what the first start throws.
 */
export async function watchServer(
  listener: string,
  start: () => Deno.HttpServer | Promise<Deno.HttpServer>,
  watch: ListenerWatch,
): Promise<WatchedServer> {
  let server = await start();
  let open = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const follow = (): void => {
    server.finished.catch((error) => {
      if (!open) return;
      watch.died(listener, error);
      again();
    });
  };
  const again = (): void => {
    timer = setTimeout(async () => {
      try {
        const next = await start();
        if (!open) return void next.shutdown();
        server = next;
      } catch {
        // Still no descriptors; one report is enough.
        if (open) again();
        return;
      }
      watch.back(listener);
      follow();
    }, RELISTEN);
  };
  follow();
  return {
    get addr() {
      return server.addr;
    },
    async shutdown() {
      open = false;
      clearTimeout(timer);
      await server.shutdown();
    },
  };
}
