import { nameBytes } from "../../codec/name.ts";
import { hashSuffixes, SUFFIX_WORDS } from "../table/name_hash.ts";
import {
  type ClientContext,
  type CompiledFilter,
  type CompiledOverride,
  type HashedOverrides,
  mismatchOf,
} from "./compiled_filter.ts";

const hashes = new Uint32Array(SUFFIX_WORDS);

/** Overrides by which a name exists, by the hash of each domain above it but the root. */
export function overridesBelow(
  overrides: readonly CompiledOverride[],
  key: readonly [number, number],
): ReadonlyMap<number, readonly HashedOverrides[]> {
  const result = new Map<number, { a: number; b: number; overrides: CompiledOverride[] }[]>();
  for (const one of overrides) {
    const name = one.permits || isRewrite(one) ? nameBytes(one.override.Domain) : null;
    if (name === null) continue;
    const labels = hashSuffixes(key, name, hashes);
    for (let depth = 1; depth < labels; depth++) {
      const a = hashes[2 * depth]!, b = hashes[2 * depth + 1]!;
      const beside = result.get(a | 0) ?? [];
      const group = beside.find((other) => other.b === b);
      if (group !== undefined) group.overrides.push(one);
      else result.set(a | 0, [...beside, { a, b, overrides: [one] }]);
    }
  }
  return result;
}

function isRewrite({ override }: CompiledOverride): boolean {
  return override.ResultIP !== "" || override.ResultCNAME !== "";
}

/**
 * True when a name below this one exists for the client because of an override, so that this one exists
 * as well (RFC 8020). `permitted`: whether one that is only permitted counts, as where the name itself
 * is blocked.
 */
export function existsByOverride(
  name: Uint8Array,
  context: ClientContext,
  compiled: CompiledFilter,
  permitted: boolean,
): boolean {
  if (compiled.below.size === 0 || compiled.excluded.has(context.address)) return false;
  const labels = hashSuffixes(compiled.table.image.key, name, hashes);
  const a = hashes[2 * labels]!, b = hashes[2 * labels + 1]!;
  const group = compiled.below.get(a | 0)?.find((one) => one.b === b);
  return group !== undefined &&
    group.overrides.some((one) =>
      (permitted || isRewrite(one)) && mismatchOf(one, context) === null
    );
}
