import { fileURLToPath } from "node:url";
import { readUi } from "../../../routes/ui.ts";
import { type Peer, peerOf } from "../../../routes/http/peer.ts";
import { inBrowser, type Viewer } from "./browser.ts";
import { PASSWORD, type TestRouter, testRouter, type TestRouterOptions } from "../router.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

// Outside of any test: one reading for all of a file's.
const built = await readUi(`${ROOT}ui/dist`);

/** A browser in front of the whole management plane over a model of the kernel. */
export interface RealStage extends Viewer {
  /** The router that answers at this moment. */
  readonly router: TestRouter;
  /** Lets every later request come as if from there; null: from loopback, as they do. */
  sitAt(peer: Pick<Peer, "source" | "local"> | null): void;
  /** Puts the router's clock forward by so many milliseconds. */
  later(milliseconds: number): void;
  /** Milliseconds of the router's clock. */
  now(): number;
  /** Ends the router, leaves the port to nobody for a moment, and starts it again there. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
}

/** Runs a test with a browser and a whole router on loopback, and ends both. */
export async function onRouter(
  options: Pick<TestRouterOptions, "files" | "host" | "history"> & {
    /** Milliseconds that the router's clock is behind at first. */
    readonly age?: number;
    /** Folder of the built page; default `ui/dist`. */
    readonly ui?: string;
    /** Default: the shell, whose tests take half the time. */
    readonly browser?: "shell" | "whole";
  },
  test: (stage: RealStage) => Promise<void>,
): Promise<void> {
  let ahead = -(options.age ?? 0);
  const now = () => Date.now() + ahead;
  const app = {
    ui: options.ui === undefined ? built : await readUi(options.ui),
    versions: { api: "0.3.0", program: "0.0.0" },
    names: () => new Set<string>(),
  };
  let router = await testRouter({
    ...(options.files ? { files: options.files } : {}),
    ...(options.host ? { host: options.host } : {}),
    ...(options.history ? { history: options.history } : {}),
    now,
    app,
  });
  const home = router;
  let peer: Partial<Peer> = {};
  const serve = (port: number) => serveRouter(() => ({ router, peer }), port);
  let server = serve(0);
  const { port } = server.addr;
  const stop = async (): Promise<void> => {
    const ended = server.shutdown();
    await router.close();
    await ended;
  };
  try {
    await inBrowser({ origin: `http://127.0.0.1:${port}`, password: PASSWORD }, (viewer) =>
      test({
        ...viewer,
        get router() {
          return router;
        },
        sitAt: (wanted) => void (peer = wanted ?? {}),
        later: (milliseconds) => void (ahead += milliseconds),
        now,
        async restart(meanwhile) {
          await stop();
          await meanwhile?.();
          router = await router.reopen();
          server = serve(port);
        },
      }), options.browser);
  } finally {
    await stop();
    await home[Symbol.asyncDispose]();
  }
}

/** Serves a router at a port of loopback; 0 for any. */
export function serveRouter(
  current: () => { readonly router: TestRouter; readonly peer: Partial<Peer> },
  port: number,
): Deno.HttpServer<Deno.NetAddr> {
  const hostname = "127.0.0.1";
  return Deno.serve({ port, hostname, onListen() {} }, (request, info) => {
    const { router, peer } = current();
    const own = { port: Number(new URL(request.url).port), hostname, tls: false };
    return router.external.fetch(request, {
      peer: { ...peerOf(info.remoteAddr, own), ...peer },
    });
  });
}
