/** An override as it is named to people: its list, its domain with the final dot, and its client. */
export interface OverrideRef {
  readonly override: { readonly list: string; readonly domain: string; readonly client: string };
}

/** Who decided: a block list by its URI, or an override. */
export type DecidedBy = { readonly list: string } | OverrideRef;

/**
 * What becomes of a question. `pass`: it is answered as usual; with `permitted` a person said so, and
 * no rebinding check is made. `block`: NXDOMAIN. `answer`: the address or the name (final dot) with a
 * TTL of 1. `quarantine`: the address, or NXDOMAIN without one.
 */
export type Verdict =
  | {
    readonly kind: "pass";
    readonly permitted?: OverrideRef;
    /** Categories of the lists that name it, for the log. */
    readonly categories: readonly string[];
  }
  | { readonly kind: "block"; readonly by: DecidedBy; readonly categories: readonly string[] }
  | {
    readonly kind: "answer";
    readonly address?: string;
    readonly cname?: string;
    readonly by: OverrideRef;
    readonly categories: readonly string[];
  }
  | { readonly kind: "quarantine"; readonly address?: string };
