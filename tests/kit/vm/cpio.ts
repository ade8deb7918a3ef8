/** A file, folder or device of an archive, by its path without a leading slash. */
export interface CpioEntry {
  readonly path: string;
  /** File type and permissions, as in `st_mode`. */
  readonly mode: number;
  readonly content?: Uint8Array;
}

/** A folder that everyone may enter. */
export function folder(path: string): CpioEntry {
  return { path, mode: 0o040755 };
}

/** A program that everyone may start. */
export function program(path: string, content: Uint8Array): CpioEntry {
  return { path, mode: 0o100755, content };
}

/**
 * An archive in the form in which the kernel takes its first files ("newc": Linux,
 * Documentation/driver-api/early-userspace/buffer-format.rst).
 */
export function cpio(entries: readonly CpioEntry[]): Uint8Array<ArrayBuffer> {
  const parts = entries.flatMap((entry, at) => record(entry, at + 1));
  parts.push(...record({ path: "TRAILER!!!", mode: 0 }, 0));
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

function record({ path, mode, content }: CpioEntry, inode: number): readonly Uint8Array[] {
  const name = new TextEncoder().encode(`${path}\0`);
  const body = content ?? new Uint8Array();
  // Inode, mode, owner, group, links, time, size, four device numbers, length of the name, check sum.
  const fields = [inode, mode, 0, 0, 1, 0, body.length, 0, 0, 0, 0, name.length, 0];
  const text = "070701" + fields.map((value) => value.toString(16).padStart(8, "0")).join("");
  const head = padded(new Uint8Array([...new TextEncoder().encode(text), ...name]));
  return [head, padded(body)];
}

/** Header with name, and content, each fill up to four bytes. */
function padded(part: Uint8Array): Uint8Array {
  const filled = new Uint8Array(Math.ceil(part.length / 4) * 4);
  filled.set(part);
  return filled;
}
