import { nameBytes } from "../codec/name.ts";
import { LONGEST_NAME } from "../codec/constants.ts";
import { bareName } from "./rules.ts";
import type { LogConfig } from "./schema.ts";

type Lists = Pick<LogConfig, "HostPrivacyIPList" | "DomainIgnoreList">;

/** A domain as it stands on the wire, in lower case. */
interface Hidden {
  readonly name: Uint8Array;
  /** True when it is everything below that is hidden, not the name itself. */
  readonly below: boolean;
}

/** Of whom and of what nothing is kept nor told. Looking makes neither objects nor texts. */
export class Discretion {
  readonly #hosts: ReadonlySet<string>;
  /** Domains by the {@link sum} of their bytes. */
  readonly #names: ReadonlyMap<number, readonly Hidden[]>;
  /** 1 for each length that a domain has on the wire. */
  readonly #lengths = new Uint8Array(LONGEST_NAME + 1);

  constructor({ HostPrivacyIPList, DomainIgnoreList }: Lists) {
    this.#hosts = new Set(HostPrivacyIPList);
    const names = DomainIgnoreList.map(bareName).flatMap((text): readonly Hidden[] => {
      const below = text.startsWith("*.");
      const name = nameBytes(below ? text.slice(2) : text);
      return name === null ? [] : [{ name, below }];
    });
    this.#names = Map.groupBy(names, ({ name }) => sum(name, 0));
    for (const { name } of names) this.#lengths[name.length] = 1;
  }

  /** True when a query of this address for this name, on the wire in lower case, leaves no trace. */
  hides(client: string, name: Uint8Array): boolean {
    if (this.#hosts.size > 0 && this.#hosts.has(client)) return true;
    if (this.#names.size === 0) return false;
    let end = 0;
    while (end < name.length && name[end] !== 0) end += name[end]! + 1;
    for (let at = 0; at < end; at += name[at]! + 1) {
      if (this.#lengths[end + 1 - at] !== 1) continue;
      const listed = this.#names.get(sum(name, at));
      if (listed === undefined) continue;
      for (const one of listed) if (one.below === at > 0 && endsIn(name, at, one.name)) return true;
    }
    return false;
  }
}

/** A number that equal ends of names share: of all bytes to the final zero. */
function sum(name: Uint8Array, from: number): number {
  let value = 0;
  for (let at = from; at < name.length && name[at] !== 0; at++) value = value * 31 + name[at]! | 0;
  return value;
}

function endsIn(name: Uint8Array, from: number, end: Uint8Array): boolean {
  for (let i = 0; i < end.length; i++) if (name[from + i] !== end[i]) return false;
  return true;
}
