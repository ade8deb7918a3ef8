import { save } from "../../../api/download.ts";
import type { Devices } from "../../../wire.ts";
import { COLUMNS, IDENTITY } from "./columns.ts";
import { csvText } from "../../../text/csv.ts";

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
  save(blob, `devices-${new Date().toISOString().slice(0, 10)}.csv`);
}
