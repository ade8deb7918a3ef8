import type { Config } from "../config.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import type { StationLines, StatusLines } from "../wifi/control_schema.ts";
import { leafPort } from "../mesh/leaf_paths.ts";
import type { Leaves } from "../mesh/leaves.ts";
import { TUNNEL } from "../wireguard/schema.ts";
import { inTurns } from "../core/time/slices.ts";
import type { Tunnels } from "../wireguard/tunnels/tunnels.ts";
import type { StationAt } from "./device_nodes.ts";
import { withLeaves } from "./leaf_nodes.ts";
import type { Topology } from "./schema.ts";
import { TopologyDrawing, type TopologySources } from "./topology.ts";

/** Milliseconds in which those who read the topology share one look at the radios. */
const SHARED_MS = 1000;

/** What {@link TopologyView} needs. */
export interface TopologyViewDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed">;
  readonly tunnels: Pick<Tunnels, "isOnline">;
  /** hostapd's status of a network. Throws where it is not on the air, or wifid does not run. */
  readonly status: (network: string) => Promise<StatusLines>;
  /** Stations of a network. Throws as `status`. */
  readonly stations: (network: string) => Promise<StationLines>;
  /** What leaf routers have on the air. */
  readonly leaves: Pick<Leaves, "air">;
  /** What the router is called. */
  readonly name: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly steady: () => number;
}

type OnAir = Pick<TopologySources, "radios" | "stations">;

/** The topology of now: of the configuration, what was seen of devices, and who is on the air. */
export class TopologyView {
  readonly #deps: TopologyViewDeps;
  readonly #drawing = new TopologyDrawing();
  #last: { readonly at: number; readonly onAir: Promise<OnAir> } | null = null;

  constructor(deps: TopologyViewDeps) {
    this.#deps = deps;
  }

  /** Reads and draws it. A radio that does not answer is drawn without its stations. */
  async read(): Promise<Topology> {
    const { engine, tunnels, leaves, name, now, steady } = this.#deps;
    if (this.#last === null || steady() - this.#last.at >= SHARED_MS) {
      this.#last = { at: steady(), onAir: this.#lookAtRadios() };
    }
    const { radios, stations } = await this.#last.onAir;
    const { config, observed } = engine;
    const drawing = await inTurns(this.#drawing.steps({
      config,
      observed,
      radios,
      stations,
      isTunnelled: ({ WGPubKey }) => tunnels.isOnline(TUNNEL, WGPubKey),
      name,
    }));
    const routers = config.mesh.LeafMode ? [] : config.mesh.LeafRouters;
    const drawn = routers.map(({ IP }) => ({
      ...{ IP, link: leafPort(config, observed, IP), air: leaves.air(IP) },
    }));
    return {
      GeneratedAt: new Date(now()).toISOString(),
      ...drawing,
      ...withLeaves(drawing, drawn, config),
    };
  }

  async #lookAtRadios(): Promise<OnAir> {
    const { engine, status, stations } = this.#deps;
    const points = engine.config.interfaces.filter(({ Type, Enabled }) => Type === "AP" && Enabled);
    const radios = new Map<string, StatusLines>();
    const found = new Map<string, StationAt>();
    await Promise.all(points.map(async ({ Name, ExtraBSS }) => {
      const lines = await status(Name).catch(() => null);
      if (lines === null) return;
      radios.set(Name, lines);
      const networks = [Name, ...ExtraBSS.map((_, at) => `${Name}.ap${at}`)];
      for (const network of networks) {
        for (const [mac, lines] of Object.entries(await stations(network).catch(() => ({})))) {
          if (lines["flags"]?.includes("[AUTHORIZED]")) found.set(mac, { network, lines });
        }
      }
    }));
    return { radios, stations: found };
  }
}
