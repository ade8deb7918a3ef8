import { socketClient } from "../core/ipc/socket_client.ts";
import {
  type Ask,
  type ForeignServer,
  Snapshot,
  type StillThere,
  type Told,
} from "./ask_schema.ts";

/** Milliseconds after which a question is given up; the client asks again. */
const PATIENCE = 5000;

/** The api as the DHCP server sees it. Every call throws Problem for a refusal, else: it is away. */
export interface DhcpApi {
  ask(ask: Ask): Promise<Told | null>;
  /** Waits until the snapshot is another than the known one. */
  snapshot(known: string): Promise<Snapshot>;
  /** True when that server is another than we. */
  foreign(found: ForeignServer): Promise<boolean>;
  /** A device that moved still answers where it was. */
  stillThere(found: StillThere): Promise<void>;
  close(): void;
}

/** The api behind its socket for us; calls end with the signal. */
export function dhcpApi(socket: string, ending: AbortSignal): DhcpApi {
  const { call, close } = socketClient({ name: "The api", socket, ending, patience: PATIENCE });
  const tell = async (path: string, body: unknown): Promise<unknown> =>
    JSON.parse(await call(path, body) || "null");
  return {
    async ask(ask) {
      return (await tell("/ask", ask) as { told: Told | null }).told;
    },
    async snapshot(known) {
      const text = await call(`/snapshot?known=${encodeURIComponent(known)}`);
      return Snapshot.parse(JSON.parse(text));
    },
    async foreign(found) {
      return (await tell("/foreignServer", found) as { foreign: boolean }).foreign;
    },
    async stillThere(found) {
      await call("/stillThere", found);
    },
    close,
  };
}
