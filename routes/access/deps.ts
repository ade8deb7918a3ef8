import type { Access } from "../../system/access/open.ts";

/** Dependencies of the access routes. */
export interface AccessDeps {
  readonly access: Access;
}
