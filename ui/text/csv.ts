/** What a spreadsheet takes for a formula where a cell begins with it. */
const FORMULA = /^[=+\-@\t\r]/;

/** The delimiter: the candidate that is most frequent in the first line. */
function separatorOf(text: string): string {
  const [line = ""] = text.split(/\r?\n/, 1);
  const amount = (sign: string) => line.split(sign).length;
  return [";", "\t"].find((sign) => amount(sign) > amount(",")) ?? ",";
}

/**
 * Cells of a text of values parted by commas, semicolons or tabs (RFC 4180), blank lines left out.
 * Never throws: a quote that is not closed ends with the text.
 */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const source = text.replace(/^\ufeff/, "");
  const separator = separatorOf(source);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endRow = (): void => {
    row.push(cell);
    if (row.some((one) => one.trim() !== "")) rows.push(row);
    row = [];
    cell = "";
  };
  for (let at = 0; at < source.length; at++) {
    const sign = source[at] as string;
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (source[at + 1] === '"') cell += source[++at];
      else quoted = false;
    } else if (sign === '"' && cell === "") quoted = true;
    else if (sign === separator) {
      row.push(cell);
      cell = "";
    } else if (sign === "\n") endRow();
    else if (sign !== "\r" || source[at + 1] !== "\n") cell += sign;
  }
  endRow();
  return rows.map((cells) => cells.map(readCell));
}

/** A text that {@link parseCsv} reads back; nothing in it is a formula to a spreadsheet. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => cells.map(writeCell).join(",") + "\r\n").join("");
}

function writeCell(text: string): string {
  const safe = FORMULA.test(text) || text.startsWith("'") ? `'${text}` : text;
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Takes off the sign that kept a cell from being a formula. */
function readCell(text: string): string {
  return text.startsWith("'") && (FORMULA.test(text.slice(1)) || text.startsWith("''"))
    ? text.slice(1)
    : text;
}
