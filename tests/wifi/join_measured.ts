import assert from "node:assert/strict";
import { attachEvents } from "../../system/host/sockets/hostapd_socket.ts";
import { INTERNET } from "../kit/lab/lab.ts";
import type { Air } from "../kit/wifi/air.ts";
import type { SignIn, Station } from "../kit/wifi/station.ts";

/** Replies that end an exchange, and the first packet of it, as tcpdump prints them. */
const FIRST = /^([\d.]+) .*\.68 > [\d.]+\.67:/, REPLY = /^([\d.]+) .*\.67 > [\d.]+\.68:/;

/** How a measured station joins. */
export interface MeasuredJoin {
  /** What it is, for the line that is printed. */
  readonly about: string;
  readonly radio: string;
  /** `wlan0`, or `wlan0.ap0` for an additional network. */
  readonly network: string;
  readonly signIn: SignIn;
}

/**
 * A station joins, has an address and reaches the Internet with its first connection. Prints how long
 * that takes from hostapd's `AP-STA-CONNECTED` on; answers the address.
 */
export async function joinMeasured(
  { lab, router }: Air,
  station: Station,
  { about, radio, network, signIn }: MeasuredJoin,
): Promise<string> {
  const { part, link, mac } = station;
  const folder = await Deno.makeTempDir({ prefix: "sluice-measured-" });
  const { promise: joined, resolve } = Promise.withResolvers<number>();
  const server = `${router.home}/state/wifi/control_${radio}/${network}`;
  const events = await attachEvents({ server, folder }, (text) => {
    if (text.startsWith(`AP-STA-CONNECTED ${mac}`)) resolve(Date.now());
  });
  const wire = lab.spawn(part, "tcpdump", [
    ...["-i", link, "-l", "-n", "-tt", "port 67 or port 68"],
  ]);
  try {
    await wire.line(/^listening on /);
    await station.join(signIn);
    const address = await station.lease();
    assert.equal(await lab.tcp(part, INTERNET, 80), "open", "its policies are in force by then");
    const lines = wire.output.split("\n");
    const time = (line: string | undefined, pattern: RegExp): number =>
      Number(pattern.exec(line ?? "")?.[1]) * 1000;
    const from = await joined;
    const first = time(lines.find((line) => FIRST.test(line)), FIRST);
    const last = time(lines.findLast((line) => REPLY.test(line)), REPLY);
    const ms = (value: number): string => `${Math.round(value)} ms`;
    // deno-lint-ignore no-console -- the run of the layer lists what is measured
    console.log(
      `MEASURED: ${about}: ${ms(last - from)} from association to address, route and policy, ` +
        `of which the client waits ${ms(first - from)} before its first request`,
    );
    return address;
  } finally {
    events.close();
    await wire.stop();
    await Deno.remove(folder, { recursive: true });
  }
}
