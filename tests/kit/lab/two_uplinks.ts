import type { UplinkStatus } from "../../../system/uplink/status_schema.ts";
import type { TestRouter } from "../router.ts";

/** Two uplinks, the second with DHCP, and a downlink. */
export const TWO = [
  {
    ...{ Name: "wan0", Type: "Uplink", Enabled: true, DisableDHCP: true },
    ...{ IP: "203.0.113.2/24", Router: "203.0.113.1" },
  },
  { Name: "lan1", Type: "Uplink", Enabled: true },
  { Name: "lan0", Type: "Downlink", Enabled: true },
];
/** The live tree of a router that balances connections over them. */
export const FILES = { "base/interfaces.json": TWO, "base/wan.json": { Balance: "pair" } };
/** What a provider gives the second. */
export const LEASE = {
  address: "100.64.5.9/24",
  router: "100.64.5.1",
  dns: ["9.9.9.9"],
  seconds: 60,
};

/** A write, its answer read. */
export async function put(router: TestRouter, path: string, body?: unknown): Promise<Response> {
  const answer = await router.ask("PUT", path, body === undefined ? {} : { body });
  await answer.clone().text();
  return answer;
}

/** The status of a write. */
export async function status(router: TestRouter, path: string, body?: unknown): Promise<number> {
  const answer = await put(router, path, body);
  await answer.body?.cancel();
  return answer.status;
}

/** What uplinkd sends to the api; the status of the answer. */
export async function send(
  router: TestRouter,
  path: string,
  body: unknown,
): Promise<number> {
  const answer = await router.inside("uplink", "PUT", path, body);
  await answer.body?.cancel();
  return answer.status;
}

/** How an uplink is. */
export async function uplink(router: TestRouter, name: string): Promise<UplinkStatus> {
  const all = await router.json<UplinkStatus[]>("GET", "/wan/status");
  return all.find(({ Iface }) => Iface === name)!;
}
