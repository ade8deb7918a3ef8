import { join } from "node:path";
import { grantedPermissions, type Permissions, type ProcessDescriptor } from "./descriptor.ts";
import { PATH_ARGUMENTS, type Settings } from "./settings.ts";

/** The arguments of Deno that start a process: flags, `main.ts`, its name. Holds no secret. */
export function denoArguments(
  process: ProcessDescriptor,
  settings: Settings,
  permissions: Permissions = grantedPermissions(process, settings),
): readonly string[] {
  const kinds = ["read", "write", "net", "run", "ffi", "env", "sys"] as const;
  return [
    "run",
    "--quiet",
    "--no-prompt",
    "--no-check",
    // Everything is installed before the launcher runs; a process must not reach for a registry.
    "--cached-only",
    // Checking that everything is installed would be most of the start time.
    "--node-modules-dir=manual",
    ...(process.engineFlags === undefined ? [] : [`--v8-flags=${process.engineFlags.join(",")}`]),
    `--config=${join(settings.root, "deno.json")}`,
    ...kinds.flatMap((kind) => grant(kind, permissions[kind])),
    join(settings.root, "main.ts"),
    process.name,
    ...(["privateState", "watchdog"] as const).flatMap((name) =>
      settings[name] === null ? [] : [`${PATH_ARGUMENTS[name]}${settings[name]}`]
    ),
    "--attached",
  ];
}

function grant(kind: string, what: readonly string[] | true): readonly string[] {
  if (what === true) return [`--allow-${kind}`];
  if (what.length === 0) return [];
  // A comma inside a path is written twice.
  return [`--allow-${kind}=${what.map((item) => item.replaceAll(",", ",,")).join(",")}`];
}
