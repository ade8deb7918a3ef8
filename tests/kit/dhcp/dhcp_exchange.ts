import type { ClientMessage, LeaseDecision } from "../../../system/dhcp/api_schema.ts";
import { type DhcpCounts, DhcpServer } from "../../../system/dhcp/server/server.ts";
import { type ClientFields, clientMessage, serverAnswer } from "./dhcp_client.ts";

/** The lease of a test's client. */
export const LEASE: LeaseDecision = {
  Identifier: "02:00:00:00:0a:01",
  IP: "192.168.2.6",
  RouterIP: "192.168.2.5",
  DNSIP: "192.168.2.1",
  LeaseTime: "24h0m0s",
  name: "",
  ntp: [],
};

/** A reply as it is sent. */
export interface Sent {
  readonly message: ReturnType<typeof serverAnswer>;
  readonly source: string;
  readonly address: string;
  readonly mac: string;
}

/** Decides every request with the given lease. */
export function answering(
  lease: LeaseDecision,
): (message: ClientMessage) => Promise<LeaseDecision | null> {
  return ({ kind }) => Promise.resolve(["decline", "release"].includes(kind) ? null : lease);
}

/** Dependencies of the tested server. */
export interface ExchangeOptions {
  readonly decide?: (message: ClientMessage) => Promise<LeaseDecision | null>;
  readonly cachedLease?: LeaseDecision | null;
  readonly mtu?: number;
}

/** The server's handling of one client message. */
export interface Exchange {
  readonly requests: readonly ClientMessage[];
  readonly sent: readonly Sent[];
  readonly counts: DhcpCounts;
}

/** Has a server handle one message; returns its requests to the api and its replies. */
export async function exchange(
  message: ClientFields | Uint8Array,
  options: ExchangeOptions = {},
): Promise<Exchange> {
  const requests: ClientMessage[] = [], sent: Sent[] = [];
  const server = new DhcpServer("lan0", {
    decide: (request) => {
      requests.push(request);
      return (options.decide ?? answering(LEASE))(request);
    },
    cachedLease: () => options.cachedLease ?? null,
    mtu: () => options.mtu ?? null,
    log: () => {},
  });
  await server.take(
    message instanceof Uint8Array ? message : clientMessage(message),
    ({ message: reply, ...to }) => {
      sent.push({ message: serverAnswer(reply), ...to });
      return true;
    },
  );
  return { requests, sent, counts: server.counts };
}
