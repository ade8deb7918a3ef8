/** Tells people that something needs them. Implemented by the notices domain. */
export interface NoticeBoard {
  /** Opens a notice, or counts it again when one of this kind and subject is open. Holds no secrets. */
  open(kind: string, detail: string, data?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Closes the open notices of a kind whose `subject` in `data` is this one, or all of the kind. */
  settle(kind: string, subject?: string): Promise<void>;
}
