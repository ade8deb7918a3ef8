/** Resolved notices are kept this long, in milliseconds (90 days). */
export const NOTICE_RETENTION_MS = 90 * 24 * 3600 * 1000;

/** Tells people that something needs them. Implemented by the notices domain. */
export interface NoticeBoard {
  /** Opens a notice, or counts it again when one of this kind and subject is open. Holds no secrets. */
  open(kind: string, detail: string, data?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Closes the open notices of a kind whose `subject` in `data` is this one, or all of the kind. */
  settle(kind: string, subject?: string): Promise<void>;
}

/** A board that also tells which notices there have been. */
export interface NoticeRecord extends NoticeBoard {
  /** What the notices of a kind are about that are kept, each with whether one of them is open. */
  subjects(kind: string): Promise<ReadonlyMap<string, boolean>>;
}
