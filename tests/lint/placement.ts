/** What an import carries: values, or types alone, which vanish when the program is built. */
export interface Import {
  /** Path of the importing file below the project's folder. */
  readonly from: string;
  /** Path of the imported file below the project's folder, or the bare name of a package. */
  readonly to: string;
  readonly typesOnly: boolean;
}

/** True for a file whose functions must be pure: its facts come in as arguments. */
export function isPure(path: string): boolean {
  return /^system\/(?!core|host)([a-z0-9_]+\/)+([a-z0-9_]+_)?(schema|rules|plan)\.ts$/.test(path);
}

/**
 * True where a module may have state of its own: where it stands for the one machine below, where each
 * DNS query is worked on in the same buffers, and in pages. All other state belongs to a value that
 * somebody makes and hands on.
 */
export function mayKeepState(path: string): boolean {
  if (/^system\/(host|dns\/(block|codec|log))\//.test(path)) return true;
  return !within(path, "system") && !within(path, "routes");
}

/** True where starting another program is allowed. */
export function mayCommand(path: string): boolean {
  return path.startsWith("system/host/") || path === "system/core/process/launcher.ts" ||
    path.startsWith("tests/");
}

/** Why this import breaks the direction `main → routes → system/<domain> → system/core`, or null. */
export function complaint(edge: Import): string | null {
  const { from, to } = edge;
  if (within(from, "tests")) return null;
  if (within(to, "tests")) return "Only tests import from tests/";
  if (to === "main.ts" || to === "build.ts") return `Nothing imports ${to}`;
  if (to === "program.ts") return from === "main.ts" ? null : "Only main.ts imports program.ts";
  if (within(from, "system")) return fromSystem(edge);
  if (within(from, "routes")) return fromRoutes(edge);
  if (within(from, "ui")) return fromUi(edge);
  return null;
}

function fromSystem({ from, to }: Import): string | null {
  if (within(to, "routes")) return "system/ knows no routes: pass in what it needs";
  if (within(to, "ui")) return "system/ knows no pages";
  if (/^(@hono\/|hono(\/|$))/.test(to)) return "system/ knows no HTTP framework";
  if (within(from, "system/core") && within(to, "system") && !within(to, "system/core")) {
    return "system/core knows no domain: pass in what it needs";
  }
  if (
    within(from, "system/host") && within(to, "system") && !within(to, "system/core") &&
    !within(to, "system/host")
  ) {
    return "system/host knows no domain: pass in what it needs, or move what both need to system/core";
  }
  if (within(to, "system/host") && !within(from, "system/host") && !isService(from)) {
    return "Only a service.ts reaches the machine: take a Host of system/core/kernel/host.ts";
  }
  if (isService(to) && domain(to) !== domain(from)) {
    return "Domains use each other's schema and pure functions, never each other's effects";
  }
  if (isPure(from) && to.startsWith("node:")) {
    return "Pure files touch no machine: facts come in as arguments";
  }
  return null;
}

function fromRoutes({ from, to, typesOnly }: Import): string | null {
  if (within(to, "ui")) return "Routes know no pages";
  if (
    within(to, "system/host") && !typesOnly && !within(from, "routes/services") &&
    !within(from, "routes/composition")
  ) {
    return "Only routes/services/ hands a Host to the program";
  }
  return null;
}

function fromUi({ from, to, typesOnly }: Import): string | null {
  // The build writes what the pages may know of the server's rules.
  if (from === "ui/build.ts" || within(from, "ui/build")) return null;
  if (within(from, "ui/parts") && within(to, "ui/pages")) {
    return "Parts know no page: pass in what differs";
  }
  if (within(to, "system")) return "Pages know only the types of routes/";
  if (within(to, "routes") && !typesOnly) return "Pages import only types from routes/";
  return null;
}

function within(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

function isService(path: string): boolean {
  return /^system\/[^/]+\/([a-z0-9_]+\/)*service\.ts$/.test(path);
}

function domain(path: string): string | undefined {
  return path.split("/")[1];
}
