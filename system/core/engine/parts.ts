import type { AccessChanges, Effects, Follow, MissingPackages, Planner } from "./change.ts";
import type { Bus } from "../events/bus.ts";
import type { ConfigFiles } from "./files/config_files.ts";
import type { ConfirmWindow } from "./confirm_window.ts";
import type { Guard } from "./decide.ts";
import type { Documents } from "../config/document.ts";
import type { Host } from "../kernel/host.ts";
import type { Enforcement } from "./kernel/enforcement.ts";
import type { ActiveConfig } from "./active_config.ts";
import type { Journal } from "./journal/journal.ts";
import type { Log } from "../log/log.ts";
import type { NoticeBoard } from "../events/notice.ts";
import type { ObservationFile } from "./files/observations.ts";
import type { ReleaseFile } from "./files/release_file.ts";
import type { RunningFlows } from "./kernel/running_flows.ts";
import type { SharedWork } from "../time/slices.ts";

/** What the engine is put together from. */
export interface Parts<C> {
  readonly documents: Documents<C>;
  readonly planner: Planner<C>;
  readonly active: ActiveConfig<C>;
  readonly journal: Journal;
  readonly files: ConfigFiles<C>;
  readonly enforcement: Enforcement<C>;
  readonly flows: RunningFlows;
  /** What previews compute of the active state, once for those of the same change. */
  readonly accessChanges: SharedWork<AccessChanges>;
  readonly observations: ObservationFile;
  readonly release: ReleaseFile;
  readonly window: ConfirmWindow;
  readonly guards: readonly Guard<C>[];
  readonly follow: Follow<C>;
  /** What previews say beside the kernel's changes, in this order. */
  readonly effects: readonly Effects<C>[];
  /** What this machine lacks, where a configuration is the first that is applied to it; else null. */
  readonly firstApply: (after: C, host: Host) => Promise<MissingPackages | null>;
  readonly notices: NoticeBoard;
  readonly bus: Bus;
  readonly log: Log;
  /** Wall clock, unix milliseconds. */
  readonly now: () => number;
  /** The time that it is at least, unix milliseconds. */
  readonly surely: () => number;
  /** An identifier that cannot be guessed. */
  readonly randomId: () => string;
  /** Called at each named step of the commit order. */
  readonly step: (point: string) => void;
}
