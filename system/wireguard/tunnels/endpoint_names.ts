import { formatEndpoint, isName, parseEndpoint } from "../endpoint.ts";

/** Milliseconds for which an address of a name is taken to hold. */
const FRESH_MS = 60_000;

/** What {@link EndpointNames} needs. */
export interface EndpointNamesDeps {
  readonly lookUp: (name: string) => Promise<readonly string[]>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Called when a name has another address than before. */
  readonly changed: () => void;
}

interface Known {
  readonly address: string;
  readonly at: number;
}

/** Addresses of endpoints that are names, looked up beside the work. */
export class EndpointNames {
  readonly #deps: EndpointNamesDeps;
  readonly #known = new Map<string, Known>();
  readonly #pending = new Map<string, Promise<void>>();

  constructor(deps: EndpointNamesDeps) {
    this.#deps = deps;
  }

  /**
   * An endpoint with the address of its name; "" while that is not known. A name is looked up when it is
   * new, and again where `renew` says that the old address leads nowhere.
   */
  resolve(endpoint: string, renew: boolean): string {
    const parts = parseEndpoint(endpoint);
    if (parts === null) return "";
    if (!isName(parts)) return formatEndpoint(parts);
    const known = this.#known.get(parts.host);
    const isOld = known === undefined || known.address === "" ||
      (renew && this.#deps.now() - known.at >= FRESH_MS);
    const isResting = known !== undefined && this.#deps.now() - known.at < FRESH_MS;
    if (isOld && !isResting) this.#lookUp(parts.host);
    return known === undefined || known.address === ""
      ? ""
      : formatEndpoint({ ...parts, host: known.address });
  }

  /** Resolves once no name is being looked up. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending.values());
  }

  #lookUp(name: string): void {
    if (this.#pending.has(name)) return;
    const work = (async () => {
      const found = await this.#deps.lookUp(name).catch((): readonly string[] => []);
      const before = this.#known.get(name)?.address ?? "";
      // One of several addresses stays for as long as it is one of them.
      const address = found.includes(before) ? before : found[0] ?? before;
      this.#known.set(name, { address, at: this.#deps.now() });
      this.#pending.delete(name);
      if (address !== before) this.#deps.changed();
    })();
    this.#pending.set(name, work);
  }
}
