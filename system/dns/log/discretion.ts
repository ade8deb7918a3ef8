import { bareName } from "./rules.ts";
import type { LogConfig } from "./schema.ts";

type Lists = Pick<LogConfig, "HostPrivacyIPList" | "DomainIgnoreList">;

/** Of whom and of what nothing is kept nor told. */
export class Discretion {
  readonly #hosts: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  /** Names of which everything below is hidden. */
  readonly #above: ReadonlySet<string>;

  constructor({ HostPrivacyIPList, DomainIgnoreList }: Lists) {
    const names = DomainIgnoreList.map(bareName);
    this.#hosts = new Set(HostPrivacyIPList);
    this.#names = new Set(names.filter((name) => !name.startsWith("*.")));
    this.#above = new Set(
      names.filter((name) => name.startsWith("*.")).map((name) => name.slice(2)),
    );
  }

  /** True when a query of this address for this name leaves no trace. */
  hides(client: string, name: string): boolean {
    if (this.#hosts.has(client)) return true;
    if (this.#names.size === 0 && this.#above.size === 0) return false;
    const bare = bareName(name);
    if (this.#names.has(bare)) return true;
    if (this.#above.size === 0) return false;
    for (let dot = bare.indexOf("."); dot >= 0; dot = bare.indexOf(".", dot + 1)) {
      if (this.#above.has(bare.slice(dot + 1))) return true;
    }
    return false;
  }
}
