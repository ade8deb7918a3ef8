import { useEffect, useState } from "preact/hooks";

/** What the fields of a form hold beside what is stored. */
export interface Draft<T> {
  readonly value: T;
  readonly edit: (value: T) => void;
  /** True while it differs from what is stored. */
  readonly isEdited: boolean;
  /** What was stored when the first edit was made. A write must not replace anything else unseen. */
  readonly from: T;
  /** True where something else has been stored since the first edit. */
  readonly isOutdated: boolean;
  /** It was written: what is stored next is shown. */
  readonly saved: () => void;
  /** Drops the edits. */
  readonly discard: () => void;
}

interface Edits<T> {
  readonly from: T;
  readonly value: T;
  readonly isSaved: boolean;
}

/**
 * The draft of a form over what is stored, which may change at any time, as by Undo or by someone else:
 * without edits the form follows it, and edits stay. Values are compared as JSON.
 */
export function useDraft<T>(stored: T): Draft<T> {
  const [edits, setEdits] = useState<Edits<T> | null>(null);
  const text = JSON.stringify(stored);
  const isStored = (value: T): boolean => JSON.stringify(value) === text;
  const isEdited = edits !== null && !isStored(edits.value) &&
    (!edits.isSaved || isStored(edits.from));
  // Otherwise Undo would bring back as edits what was written before.
  useEffect(() => {
    if (!isEdited) setEdits(null);
  }, [text, isEdited]);
  const from = isEdited ? edits.from : stored;
  return {
    value: isEdited ? edits.value : stored,
    edit: (value) => setEdits(isStored(value) ? null : { from, value, isSaved: false }),
    isEdited,
    from,
    isOutdated: isEdited && !isStored(from),
    saved: () => setEdits((now) => now && { ...now, isSaved: true }),
    discard: () => setEdits(null),
  };
}
