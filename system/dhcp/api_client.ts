import { feedPoll, type Poll } from "../core/ipc/feed.ts";
import { socketClient } from "../core/ipc/socket_client.ts";
import {
  type ClientMessage,
  type DuplicateMac,
  type ForeignSender,
  type ForeignServer,
  type LeaseDecision,
  Snapshot,
} from "./api_schema.ts";

/** Milliseconds after which a call is given up; the client sends its message again. */
const CALL_TIMEOUT_MS = 5000;

/** The api's socket for the DHCP server. A call throws Problem when refused, any other error when the api is away. */
export interface DhcpApi {
  decide(message: ClientMessage): Promise<LeaseDecision | null>;
  readonly snapshot: Poll<Snapshot>;
  /** False when there is no other server than this router itself. */
  reportForeign(found: ForeignServer): Promise<boolean>;
  /** Reports a client that was refused since its MAC address still answers on another interface. */
  reportDuplicate(found: DuplicateMac): Promise<void>;
  /** Reports a message that named another MAC address than it came from. */
  reportForeignSender(found: ForeignSender): Promise<void>;
  close(): void;
}

/** Connects to the api's socket; calls end with the signal. */
export function dhcpApi(socket: string, ending: AbortSignal): DhcpApi {
  const client = socketClient({
    name: "The api",
    socket,
    ending,
    patience: CALL_TIMEOUT_MS,
  });
  const put = async (path: string, body: unknown): Promise<unknown> =>
    JSON.parse(await client.call(path, body) || "null");
  return {
    async decide(message) {
      return (await put("/decide", message) as { decision: LeaseDecision | null }).decision;
    },
    snapshot: feedPoll(client, "/snapshot", Snapshot),
    async reportForeign(found) {
      return (await put("/foreignServer", found) as { foreign: boolean }).foreign;
    },
    async reportDuplicate(found) {
      await client.call("/duplicateMac", found);
    },
    async reportForeignSender(found) {
      await client.call("/foreignSender", found);
    },
    close: client.close,
  };
}
