/*
 * What `iw` prints is an outline: a line belongs to the nearest line above it that is indented by
 * fewer tabs. Its own manual warns that the text is not stable, so unknown lines are kept or skipped,
 * never an error.
 */

/** A line of an outline, without its indentation and bullet, and the lines below it. */
export interface OutlineLine {
  readonly text: string;
  readonly children: readonly OutlineLine[];
}

/** Lines read of one output; a neighbour cannot make more of them than this. */
const MAX_LINES = 200_000;

/** The lines of an output by their indentation. Blanks in place of a tab continue the line above. */
export function outline(output: string): readonly OutlineLine[] {
  const root: { text: string; children: OutlineLine[] } = { text: "", children: [] };
  const open = [{ depth: -1, line: root }];
  for (const raw of output.split("\n", MAX_LINES)) {
    if (raw.trim() === "") continue;
    const [indent] = /^[\t]*/.exec(raw)!;
    const rest = raw.slice(indent.length);
    const above = open.at(-1)!;
    if (/^ {2,}\S/.test(rest) && above.depth >= 0) {
      above.line.text += ` ${rest.trim()}`;
      continue;
    }
    const line = { text: rest.trim().replace(/^\* /, ""), children: [] };
    while (open.at(-1)!.depth >= indent.length) open.pop();
    open.at(-1)!.line.children.push(line);
    open.push({ depth: indent.length, line });
  }
  return root.children;
}

/** A label as a field name: `max # scan SSIDs` becomes `max_scan_ssids`. */
export function fieldName(label: string): string {
  return label.replace(/\(.*?\)/g, "").replaceAll("#", "").trim().toLowerCase()
    .replace(/[\s/-]+/g, "_").replace(/[^a-z0-9_]/g, "");
}

/** The two parts of `label: value`, or null. */
export function labelled(text: string): { readonly label: string; readonly value: string } | null {
  const match = /^([^:]+):\s*(.*)$/s.exec(text);
  return match === null ? null : { label: match[1]!.trim(), value: match[2]!.trim() };
}
