import { deepStrictEqual } from "node:assert";
import { eventually } from "../kit/eventually.ts";
import { mac } from "../kit/builders/device_config.ts";
import { meshRouter } from "../kit/mesh/mesh_bed.ts";
import { median, type Row } from "./table.ts";

const DEVICES = 1000;
const ROUNDS = 5;

/** Devices that can join by Wi-Fi, as the file of devices has them. */
function devices(number: number): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Array.from({ length: number }, (_, at) => [mac(at + 1), {
    ...{ Name: `Device ${at + 1}`, MAC: mac(at + 1), Policies: ["wan", "dns"] },
    PSKEntry: { Type: "sae", Psk: `password ${at + 1}` },
  }]));
}

/**
 * A change of one device among a thousand, until a leaf router has it, beside the same list put into the
 * leaf directly: what the mesh adds is the feed, TLS and the contact.
 */
export async function mesh(): Promise<readonly Row[]> {
  const list = devices(DEVICES);
  const files = { "devices/devices.json": list };
  await using parent = await meshRouter(1, { files });
  await using leaf = await meshRouter(2);
  const body = { IP: leaf.address, APIToken: await leaf.leafToken() };
  await parent.router.ask("PUT", "/plugins/mesh/leafRouter", { body });
  const name = () => leaf.router.engine.config.devices[mac(1)]?.Name;
  await eventually("the leaf has all", () => {
    deepStrictEqual(Object.keys(leaf.router.engine.config.devices).length, DEVICES);
  });
  const whole: number[] = [], direct: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const wanted = `Renamed ${round}`;
    const from = performance.now();
    await parent.router.ask("PUT", `/device?identity=${mac(1)}`, { body: { Name: wanted } });
    await eventually("the leaf has it", () => deepStrictEqual(name(), wanted));
    whole.push(performance.now() - from);
    const other = { ...list, [mac(1)]: { ...list[mac(1)] as object, Name: `Direct ${round}` } };
    const start = performance.now();
    await leaf.router.ask("PUT", "/devices", { body: other });
    direct.push(performance.now() - start);
  }
  return [{
    what: `mesh: a change among ${DEVICES} devices, until a leaf has it`,
    ours: median(whole),
    baseline: median(direct),
    unit: "ms",
    beside: "the list put into the leaf",
  }];
}
