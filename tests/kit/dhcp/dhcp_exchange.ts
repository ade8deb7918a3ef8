import type { ClientMessage, LeaseDecision } from "../../../system/dhcp/api_schema.ts";
import { type DhcpCounts, DhcpServer } from "../../../system/dhcp/server/server.ts";
import { clientMessage, type ClientSays, serverAnswer } from "./dhcp_client.ts";

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

/** An answer on its way. */
export interface Sent {
  readonly said: ReturnType<typeof serverAnswer>;
  readonly source: string;
  readonly address: string;
  readonly mac: string;
}

/** What the router of a test says: the lease to who asks for one. */
export function answering(
  lease: LeaseDecision,
): (ask: ClientMessage) => Promise<LeaseDecision | null> {
  return ({ kind }) => Promise.resolve(["decline", "release"].includes(kind) ? null : lease);
}

/** What a test's server stands on. */
export interface Surroundings {
  readonly ask?: (ask: ClientMessage) => Promise<LeaseDecision | null>;
  readonly remembered?: LeaseDecision | null;
  readonly mtu?: number;
}

/** What comes of one message of a client. */
export interface Exchange {
  readonly asked: readonly ClientMessage[];
  readonly sent: readonly Sent[];
  readonly counts: DhcpCounts;
}

/** Gives a server one message, and tells what it asked and sent. */
export async function exchange(
  says: ClientSays | Uint8Array,
  around: Surroundings = {},
): Promise<Exchange> {
  const asked: ClientMessage[] = [], sent: Sent[] = [];
  const server = new DhcpServer("lan0", {
    decide: (question) => {
      asked.push(question);
      return (around.ask ?? answering(LEASE))(question);
    },
    cachedLease: () => around.remembered ?? null,
    mtu: () => around.mtu ?? null,
    log: () => {},
  });
  await server.take(
    says instanceof Uint8Array ? says : clientMessage(says),
    ({ message, ...to }) => {
      sent.push({ said: serverAnswer(message), ...to });
      return true;
    },
  );
  return { asked, sent, counts: server.counts };
}
