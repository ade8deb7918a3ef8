/** A point in time to the nanosecond, as items of a bucket are addressed by it. */
export interface ItemTime {
  /** Unix milliseconds. */
  readonly at: number;
  /** Nanoseconds within the millisecond. */
  readonly nanos: number;
}

const TIME = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/;

/** Parses RFC 3339 with up to nine digits of a second; null where it is none. */
export function parseItemTime(text: string): ItemTime | null {
  const [, date, clock, fraction = "", zone] = TIME.exec(text) ?? [];
  if (date === undefined) return null;
  const digits = fraction.padEnd(9, "0");
  const at = Date.parse(`${date}T${clock}.${digits.slice(0, 3)}${zone!.toUpperCase()}`);
  return Number.isNaN(at) || at < 0 ? null : { at, nanos: Number(digits.slice(3)) };
}

/** RFC 3339 with nanoseconds, in UTC. */
export function formatItemTime({ at, nanos }: ItemTime): string {
  return `${new Date(at).toISOString().slice(0, -1)}${String(nanos).padStart(6, "0")}Z`;
}
