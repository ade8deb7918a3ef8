import { systemdFiles } from "./core/process/unit_files.ts";
import { PROCESSES } from "./processes.ts";

/** Writes the generated files of `configs/systemd/`; `deno task units`. */
const folder = new URL("../configs/systemd/", import.meta.url);
for (const [name, text] of Object.entries(systemdFiles(PROCESSES))) {
  await Deno.writeTextFile(new URL(name, folder), text);
}
