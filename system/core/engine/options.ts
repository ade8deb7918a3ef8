import type { Bus } from "../events/bus.ts";
import type { Planner } from "./change.ts";
import type { Guard } from "./decide.ts";
import type { Documents } from "../config/document.ts";
import type { Files } from "../config/files.ts";
import type { Host } from "../kernel/host.ts";
import type { Log } from "../log/log.ts";
import type { NoticeBoard } from "../events/notice.ts";
import type { Database } from "../store/open.ts";

/** What {@link import("./engine.ts").openEngine} needs. */
export interface EngineOptions<C> {
  readonly documents: Documents<C>;
  /** The live tree: its `configs` are people's files, its `state` is ours. Absolute. */
  readonly home: string;
  readonly db: Database;
  /** The kernel to begin with; `attach` changes it. */
  readonly host: Host;
  readonly planner: Planner<C>;
  readonly bus: Bus;
  readonly notices: NoticeBoard;
  readonly log: Log;
  /** Further refusals of changes that are neither forced nor under a window. */
  readonly guards?: readonly Guard<C>[];
  /** Wall clock, unix milliseconds. */
  readonly now?: () => number;
  /** The time that it is at least, by which old revisions are removed; `now` where it is left out. */
  readonly surely?: () => number;
  /** Seconds since the machine was started, sleep included. */
  readonly bootClock?: () => number;
  /** Identifiers and tokens that cannot be guessed. */
  readonly randomId?: () => string;
  /** Key of entity tags; the same one keeps them over restarts. Random unless told. */
  readonly tagKey?: Uint8Array;
  readonly files?: Files;
  /** Called at each named step of the commit order, so that a test can look at what lies on disk. */
  readonly crash?: (point: string) => void;
  /** False: files are not watched and time passes only by `tick`. */
  readonly live?: boolean;
}
