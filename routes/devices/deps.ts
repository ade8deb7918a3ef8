import type { Config } from "../../system/config.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import type { ParentSync } from "../../system/mesh/parent_sync.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";

/** What the routes of devices and groups need from outside. */
export interface DevicesDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed" | "secretVersion">;
  readonly bus: Pick<Bus, "publish">;
  /** Notes that the parent of this leaf sent its devices. */
  readonly mesh?: { readonly parentSync: Pick<ParentSync, "taken"> };
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Key of the entity tags of single devices. */
  readonly tagKey: Uint8Array;
  /** Random bytes of a cryptographic source. */
  readonly random: (length: number) => Uint8Array;
}
