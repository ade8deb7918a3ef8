import { join } from "node:path";
import { grantedPermissions, type Permissions, type ProcessDescriptor } from "./descriptor.ts";
import { PATH_ARGUMENTS, type Settings } from "./settings.ts";
import { MEMORY_REDUCER } from "./start_garbage.ts";

/**
 * Environment of every process: the C library keeps free memory for each thread and between what is in
 * use (mallopt(3)), of which ours allocate much at their start and little later.
 */
export const MEMORY_VARIABLES: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: "65536",
  MALLOC_TRIM_THRESHOLD_: "65536",
};

/**
 * The arguments of Deno that start a process: flags, its module, its name. Holds no secret.
 * `collects`: it frees the memory of its start (`start_garbage.ts`).
 */
export function denoArguments(
  process: ProcessDescriptor,
  settings: Settings,
  permissions: Permissions = grantedPermissions(process, settings),
  collects = true,
): readonly string[] {
  // It collects the garbage of its start itself, or has V8 do so.
  const collecting = collects ? ["--expose-gc", ...MEMORY_REDUCER] : [];
  const engineFlags = [...collecting, ...process.engineFlags ?? []];
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
    ...engineFlags.length === 0 ? [] : [`--v8-flags=${engineFlags.join(",")}`],
    `--config=${join(settings.root, "deno.json")}`,
    ...kinds.flatMap((kind) => grant(kind, permissions[kind])),
    // A library that looks at a variable of its own finds it unset, instead of being refused.
    "--ignore-env",
    join(settings.root, settings.bundled ? `dist/${process.name}.js` : "main.ts"),
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
