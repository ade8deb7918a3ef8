import type { Devices } from "../../../wire.ts";
import { COLUMNS, IDENTITY } from "./columns.ts";
import { csvText } from "./csv.ts";

/** Every device as a line of a file that the import reads back; passwords are never in it. */
export function devicesCsv(devices: Devices): string {
  return csvText([
    [IDENTITY, ...COLUMNS.map(({ heading }) => heading)],
    ...Object.entries(devices).map(([identity, device]) => [
      identity,
      ...COLUMNS.map(({ write }) => write(device)),
    ]),
  ]);
}

/** Hands the devices to the browser as a file. */
export function exportDevices(devices: Devices): void {
  const blob = new Blob([devicesCsv(devices)], { type: "text/csv;charset=utf-8" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `devices-${new Date().toISOString().slice(0, 10)}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}
