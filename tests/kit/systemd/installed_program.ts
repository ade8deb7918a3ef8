import { join } from "node:path";
import { eventually } from "../eventually.ts";
import { must } from "../lab/command.ts";

/** Where the manual has the program installed. */
export const INSTALLED = "/opt/sluice";
/** What an installation has of the project's folder, what is not a part of any release aside. */
const PARTS = ["main.ts", "deno.json", "deno.lock", "routes", "system", "ui", "configs", "docs"];

/**
 * Copies the program as it stands into a folder, so that nobody changes it under a machine that runs;
 * answers what lies at which path of a machine that has it installed.
 */
export async function copyProgram(
  root: string,
  into: string,
): Promise<Readonly<Record<string, string>>> {
  await Deno.mkdir(join(into, "node_modules"), { recursive: true });
  // Another run may be building the pages at this moment.
  await eventually(
    "the program is copied",
    () => must("cp", ["-a", ...PARTS.map((part) => join(root, part)), into]),
  );
  return {
    [INSTALLED]: into,
    [`${INSTALLED}/node_modules`]: join(root, "node_modules"),
    "/usr/local/bin/deno": await Deno.realPath(Deno.execPath()),
  };
}
