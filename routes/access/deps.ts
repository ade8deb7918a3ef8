import type { Access } from "../../system/access/open.ts";

/** What the routes of access need from outside. */
export interface AccessDeps {
  readonly access: Access;
  /** Unix milliseconds. */
  readonly now: () => number;
}
