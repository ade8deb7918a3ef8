/**
 * A default route that is not the one of the main table: of a table of our own (200–239), or of the
 * main table behind the first one.
 */
export interface PolicyRoute {
  readonly table: number | "main";
  /** 0: none is given. */
  readonly metric: number;
  /** Null where the link has only one other end. */
  readonly via: string | null;
  readonly link: string;
}

/** A rule of the kernel that sends packets to the table of an uplink. */
export type IpRule =
  /** First of all the main table, its default routes aside: home is never reached by an uplink. */
  | { readonly kind: "local" }
  /** What a socket bound to the link sends. */
  | { readonly kind: "link"; readonly link: string; readonly table: number }
  /** What the router sends from an address of the uplink. */
  | { readonly kind: "source"; readonly address: string; readonly table: number }
  /** What belongs to a connection that was given the table's number as its mark. */
  | { readonly kind: "mark"; readonly table: number };

/** How single uplinks are reached: ours alone, in the kernel as in a plan. */
export interface PolicyRouting {
  readonly routes: readonly PolicyRoute[];
  readonly rules: readonly IpRule[];
}
