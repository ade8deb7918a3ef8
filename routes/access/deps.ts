import type { Access } from "../../system/access/open.ts";
import type { Token } from "../../system/access/schema.ts";
import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine/engine.ts";

/** Dependencies of the access routes. */
export interface AccessDeps {
  readonly access: Access;
  readonly engine: Pick<Engine<Config>, "config">;
  /** Called with each API token that was made, in full. */
  readonly created?: (token: Token) => Promise<void>;
  /** Called once somebody has proven a second factor. */
  readonly proved?: () => Promise<void>;
}
