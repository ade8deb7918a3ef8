import { TrafficStore } from "../../../system/traffic/store/traffic_store.ts";

/**
 * Stores batches of one byte at the edge of two hours in the file that is named, from the number that is
 * named on, and prints the number of each that was stored, until it is killed.
 */
const [path = "", first = "0"] = Deno.args;
const store = await TrafficStore.open(path);
const EDGE = Date.UTC(2026, 5, 15, 10);
for (let number = Number(first);; number++) {
  await store.add(`a.${number}`, EDGE + (number % 2 === 0 ? -1 : 0), [{
    ...{
      device: "192.168.2.6",
      remote: `198.51.100.${number % 200}`,
      domain: `n${number}.example`,
    },
    ...{ asn: 64500 + number % 7, network: "Net", country: "DE", in: 1, out: 2 },
  }]);
  await Deno.stdout.write(new TextEncoder().encode(`${number}\n`));
}
