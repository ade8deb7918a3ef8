/** Identifies an override by its list, domain (with final dot) and client. */
export interface OverrideRef {
  readonly override: { readonly list: string; readonly domain: string; readonly client: string };
}

/** A check that is part of the resolver: names by which clients look for a way round it. */
export interface BuiltinRef {
  readonly builtin: "bypass";
}

/** The block list (by URI), override or built-in check that decided. */
export type DecidedBy = { readonly list: string } | OverrideRef | BuiltinRef;

/**
 * The verdict on a query. `pass`: it is resolved as usual; with `permitted` an override allows it, and
 * DNS rebinding protection does not apply. `block`: NXDOMAIN, or NODATA. `rewrite`: the address or the name (final
 * dot) with a TTL of 1. `quarantine`: the address, or NXDOMAIN without one.
 */
export type Verdict =
  | {
    readonly kind: "pass";
    readonly permitted?: OverrideRef;
    /** Categories of the block lists that contain the name, for the query log. */
    readonly categories: readonly string[];
  }
  | {
    readonly kind: "block";
    readonly by: DecidedBy;
    readonly categories: readonly string[];
    /** The name exists, without a record. */
    readonly nodata?: true;
  }
  | {
    readonly kind: "rewrite";
    readonly address?: string;
    readonly cname?: string;
    readonly by: OverrideRef;
    readonly categories: readonly string[];
  }
  | { readonly kind: "quarantine"; readonly address?: string };
