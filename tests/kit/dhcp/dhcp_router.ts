import assert from "node:assert/strict";
import { mac } from "../builders/device_config.ts";
import { type TestRouter, testRouter, type TestRouterOptions } from "../router.ts";

type Kind = "discover" | "request" | "inform" | "decline" | "release";

/** The fields of a client's message beside its MAC address. */
interface ClientFields {
  readonly link?: string;
  readonly wanted?: string;
  readonly name?: string;
  readonly clientId?: string;
  readonly server?: string;
}

/** Clients of a router, each with the n-th MAC address. */
function speaker(router: TestRouter) {
  const ask = async (kind: Kind, n: number, fields: ClientFields = {}) => {
    const body = { kind, mac: mac(n), link: "lan0", ...fields };
    const answer = await router.inside("dhcp", "PUT", "/decide", body);
    return { status: answer.status, json: await answer.json() };
  };
  const ip = async (kind: Kind, n: number, fields: ClientFields = {}): Promise<string | null> =>
    (await ask(kind, n, fields)).json.decision?.IP ?? null;
  /** The whole exchange of a client that comes. */
  const join = async (n: number, fields: ClientFields = {}): Promise<string> => {
    const wanted = await ip("discover", n, fields) ?? "";
    assert.equal(await ip("request", n, { ...fields, wanted }), wanted);
    return wanted;
  };
  const devices = () => router.json<Record<string, { RecentIP: string }>>("GET", "/devices");
  return { ask, ip, join, devices };
}

/** A router with a clock of its own, and clients that ask it for addresses. */
export async function dhcpRouter(options: TestRouterOptions = {}) {
  const clock = { now: 1_700_000_000_000 };
  const router = await testRouter({ now: () => clock.now, ...options });
  return { router, clock, ...speaker(router) };
}

/** Files of a home with one network of 64 places. */
export const SMALL = {
  "base/dhcp.json": { TinyNets: ["192.168.2.0/24"], LeaseTime: "1h0m0s" },
};
