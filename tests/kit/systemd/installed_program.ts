import { join } from "node:path";
import { eventually } from "../eventually.ts";
import { must } from "../lab/command.ts";

/** Where the manual installs the program. */
export const INSTALLED = "/opt/sluice";
/** The parts of the project's folder that a release contains. */
const PARTS = [
  "main.ts",
  "program.ts",
  "dist",
  "deno.json",
  "deno.lock",
  "routes",
  "system",
  "ui",
  "configs",
  "docs",
];

/**
 * Copies the program into a folder, so that it does not change under a running machine; returns the bind
 * mounts of a machine that has it installed.
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
