import process from "node:process";
import type { Config } from "../../../system/config.ts";
import { TopologyDrawing, type TopologySources } from "../../../system/topology/topology.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";
import { median, type Row } from "../table.ts";

const DEVICES = 1000, TIMES = 9, GROUPS = 50;

/** A topology of 1,000 devices: drawn for the first time, again, and after one device changed. */
export function topology(): readonly Row[] {
  const devices = Object.fromEntries(
    Array.from({ length: DEVICES }, (_, n) => {
      const own = {
        RecentIP: `10.0.${n >> 6}.${4 * (n & 63) + 2}`,
        Groups: [`group ${n % GROUPS}`],
      };
      return [mac(n), device(mac(n), { ...own, Policies: ["wan", "dns"] })];
    }),
  );
  const config = configWith({
    devices,
    groups: Array.from({ length: GROUPS }, (_, n) => ({
      ...{ Name: `group ${n}`, Disabled: false, ServiceDestinations: [] },
    })) as unknown as Config["groups"],
    interfaces: [
      { Name: "wan0", Type: "Uplink", Enabled: true },
      { Name: "lan0", Type: "Downlink", Enabled: true },
    ] as unknown as Config["interfaces"],
  });
  const observed = {
    devices: Object.fromEntries(
      Object.keys(devices).map((id, n) => [
        id,
        { firstSeen: 1000, lastSeen: 2000, link: `lan0.${n}`, online: n % 3 > 0 },
      ]),
    ),
    uplinks: {},
  } as unknown as TopologySources["observed"];
  const sources: TopologySources = {
    ...{ config, observed, stations: new Map(), radios: new Map(), name: "router" },
    isTunnelled: () => false,
  };
  const drawing = new TopologyDrawing();
  const timed = (work: () => unknown): number =>
    median(Array.from({ length: TIMES }, () => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    }));
  const first = timed(() => JSON.stringify(new TopologyDrawing().draw(sources)));
  drawing.draw(sources);
  let turn = 0;
  const changed = timed(() => {
    const one = { ...observed.devices[mac(turn % DEVICES)]!, lastSeen: 3000 + turn++ };
    const now = { ...observed, devices: { ...observed.devices, [mac(turn % DEVICES)]: one } };
    return JSON.stringify(drawing.draw({ ...sources, observed: now }));
  });
  const { Nodes, Edges } = drawing.draw(sources);
  return [{
    what: `topology of ${DEVICES} devices after one changed, with its JSON, processor`,
    ours: changed,
    baseline: first,
    unit: "ms",
    beside: `drawn anew, ${Nodes.length} nodes, ${Edges.length} edges`,
    aim: 1,
  }];
}
