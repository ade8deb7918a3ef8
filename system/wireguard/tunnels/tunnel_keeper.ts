import type { Backend, PlannedPeer, PlannedTunnel, TunnelState } from "./plan_schema.ts";
import type { EndpointNames } from "./endpoint_names.ts";
import type { OwnedLinks } from "./owned_links.ts";
import { isStale, type RunningPeer, type RunningTunnel, tunnelSteps } from "./tunnel_steps.ts";

/** Characters of a problem that are reported. */
const MAX_PROBLEM = 400;

/** Who carries a tunnel. */
type Carrier = Exclude<Backend, "">;

/** A tunnel as it was read. */
interface ReadTunnel extends RunningTunnel {
  readonly publicKey: string;
  readonly peers: readonly (RunningPeer & { readonly rx: number; readonly tx: number })[];
}

/** What {@link TunnelKeeper} acts through. */
export interface TunnelKeeperDeps {
  readonly owned: Pick<OwnedLinks, "list" | "add" | "remove">;
  readonly names: Pick<EndpointNames, "resolve">;
  /** Who carries an interface. */
  readonly backend: (name: string) => Promise<Carrier | "other" | null>;
  readonly create: (name: string) => Promise<Carrier>;
  readonly remove: (name: string) => Promise<void>;
  readonly read: (name: string) => Promise<ReadTunnel | null>;
  readonly add: (name: string, text: string) => Promise<void>;
  readonly removePeers: (name: string, keys: readonly string[]) => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Called with what was done, for the log. */
  readonly done: (event: "created" | "removed", name: string, backend: Carrier) => void;
}

/**
 * Keeps tunnels as they are planned. Each round compares what runs with the plan and changes what
 * differs and nothing else, so that a round without news has no effect.
 */
export class TunnelKeeper {
  readonly #deps: TunnelKeeperDeps;
  readonly #backends = new Map<string, Carrier>();
  /** The endpoint that the plan named when it was last set, by tunnel and peer. */
  readonly #called = new Map<string, string>();

  constructor(deps: TunnelKeeperDeps) {
    this.#deps = deps;
  }

  /** One round over all tunnels of the plan; those that are in it no more are taken down. */
  async round(planned: readonly PlannedTunnel[]): Promise<readonly TunnelState[]> {
    const wanted = new Set(planned.map(({ name }) => name));
    for (const name of await this.#deps.owned.list()) {
      if (!wanted.has(name)) await this.#takeDown(name);
    }
    const states: TunnelState[] = [];
    for (const tunnel of planned) states.push(await this.#keep(tunnel));
    return states;
  }

  async #takeDown(name: string): Promise<void> {
    const { backend, remove, owned, done } = this.#deps;
    const carrier = await backend(name);
    if (carrier === "kernel" || carrier === "wireguard-go") {
      await remove(name);
      done("removed", name, carrier);
    }
    this.#backends.delete(name);
    await owned.remove(name);
  }

  async #keep(tunnel: PlannedTunnel): Promise<TunnelState> {
    const { name } = tunnel;
    try {
      const before = await this.#present(name);
      const { isChanged, problem } = await this.#apply(tunnel, before);
      const running = isChanged ? await this.#read(name) : before;
      return {
        name,
        backend: this.#backends.get(name) ?? "",
        problem: problem.slice(0, MAX_PROBLEM),
        listenPort: running.listenPort,
        publicKey: running.publicKey,
        peers: running.peers.map((
          { publicKey, endpoint, latestHandshake, allowedIps, rx, tx },
        ) => ({
          ...{ publicKey, endpoint, latestHandshake, allowedIps: [...allowedIps], rx, tx },
        })),
      };
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return {
        name,
        backend: "",
        problem: problem.replace(/\p{Cc}+/gu, " ").slice(0, MAX_PROBLEM).toWellFormed(),
        listenPort: 0,
        publicKey: "",
        peers: [],
      };
    }
  }

  /** The tunnel as it runs, created where it is not there. */
  async #present(name: string): Promise<ReadTunnel> {
    const { read, owned, backend, create, done } = this.#deps;
    const known = this.#backends.has(name) ? await read(name) : null;
    if (known !== null) return known;
    this.#backends.delete(name);
    const isOurs = (await owned.list()).includes(name);
    const carrier = await backend(name);
    if (carrier !== null) {
      const left = isOurs && carrier !== "other" ? await read(name) : null;
      if (left === null) {
        throw new Error(
          `There is an interface ${name} that Sluice did not create; stop what created it, or ` +
            `remove it with: ip link delete ${name}`,
        );
      }
      // A tunnel outlives its process; its sessions go on.
      this.#backends.set(name, carrier as Carrier);
      return left;
    }
    await owned.add(name);
    const made = await create(name).catch(async (error) => {
      await owned.remove(name);
      throw error;
    });
    done("created", name, made);
    this.#backends.set(name, made);
    for (const key of this.#called.keys()) {
      if (key.startsWith(`${name} `)) this.#called.delete(key);
    }
    return await this.#read(name);
  }

  async #read(name: string): Promise<ReadTunnel> {
    const running = await this.#deps.read(name);
    if (running === null) throw new Error(`The interface ${name} went away`);
    return running;
  }

  /** Changes what differs from the plan; says whether something did, and what cannot be followed. */
  async #apply(
    tunnel: PlannedTunnel,
    running: ReadTunnel,
  ): Promise<{ readonly isChanged: boolean; readonly problem: string }> {
    const { add, removePeers, names, now } = this.#deps;
    const seconds = now() / 1000;
    const known = new Map(running.peers.map((peer) => [peer.publicKey, peer]));
    const steps = tunnelSteps(tunnel, running, {
      now: seconds,
      addressOf: (peer) => {
        const stands = known.get(peer.publicKey);
        return names.resolve(peer.endpoint, stands === undefined || isStale(stands, seconds));
      },
      isOtherEndpoint: (peer) => {
        const called = this.#called.get(keyOf(tunnel, peer));
        return called !== undefined && called !== peer.endpoint;
      },
    });
    if (steps.remove.length > 0) await removePeers(tunnel.name, steps.remove);
    if (steps.text !== "") await add(tunnel.name, steps.text);
    for (const peer of tunnel.peers) this.#called.set(keyOf(tunnel, peer), peer.endpoint);
    const isChanged = steps.remove.length > 0 || steps.text !== "";
    return { isChanged, problem: steps.problem };
  }
}

function keyOf({ name }: PlannedTunnel, { publicKey }: PlannedPeer): string {
  return `${name} ${publicKey}`;
}
