import { nameBytes } from "../codec/name.ts";
import { MAX_NAME_BYTES } from "../codec/constants.ts";
import { bareName } from "./rules.ts";
import type { LogConfig } from "./schema.ts";

type Lists = Pick<LogConfig, "HostPrivacyIPList" | "DomainIgnoreList">;

/** An ignored domain in wire format, in lower case. */
interface IgnoredName {
  readonly name: Uint8Array;
  /** True when it covers the subdomains and not the name itself. */
  readonly isWildcard: boolean;
}

/** Decides which queries are not logged. A look-up allocates nothing, since it runs for every query. */
export class PrivacyFilter {
  readonly #hosts: ReadonlySet<string>;
  /** Domains by the {@link suffixHash} of their bytes. */
  readonly #names: ReadonlyMap<number, readonly IgnoredName[]>;
  /** 1 for each wire length that an ignored domain has. */
  readonly #lengths = new Uint8Array(MAX_NAME_BYTES + 1);

  constructor({ HostPrivacyIPList, DomainIgnoreList }: Lists) {
    this.#hosts = new Set(HostPrivacyIPList);
    const names = DomainIgnoreList.map(bareName).flatMap((text): readonly IgnoredName[] => {
      const isWildcard = text.startsWith("*.");
      const name = nameBytes(isWildcard ? text.slice(2) : text);
      return name === null ? [] : [{ name, isWildcard }];
    });
    this.#names = Map.groupBy(names, ({ name }) => suffixHash(name, 0));
    for (const { name } of names) this.#lengths[name.length] = 1;
  }

  /** True when a query of this client for this name (wire format, lower case) must not be logged. */
  hides(client: string, name: Uint8Array): boolean {
    if (this.#hosts.size > 0 && this.#hosts.has(client)) return true;
    if (this.#names.size === 0) return false;
    let end = 0;
    while (end < name.length && name[end] !== 0) end += name[end]! + 1;
    for (let at = 0; at < end; at += name[at]! + 1) {
      if (this.#lengths[end + 1 - at] !== 1) continue;
      const listed = this.#names.get(suffixHash(name, at));
      if (listed === undefined) continue;
      for (const one of listed) {
        if (one.isWildcard === at > 0 && endsIn(name, at, one.name)) return true;
      }
    }
    return false;
  }
}

/** Hash of the bytes up to the final zero. */
function suffixHash(name: Uint8Array, from: number): number {
  let value = 0;
  for (let at = from; at < name.length && name[at] !== 0; at++) value = value * 31 + name[at]! | 0;
  return value;
}

function endsIn(name: Uint8Array, from: number, end: Uint8Array): boolean {
  for (let i = 0; i < end.length; i++) if (name[from + i] !== end[i]) return false;
  return true;
}
