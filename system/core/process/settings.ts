import { isAbsolute, join, resolve } from "node:path";
import { Refusal } from "../errors/refusal.ts";

/** A TCP address to listen on. Port 0 takes a free one. */
export interface Listener {
  readonly hostname: string;
  readonly port: number;
}

/** Passed to the api alone, and never written to a log or a command line. */
export interface Secrets {
  readonly adminPassword: string | null;
  readonly databaseToken: string | null;
}

/** The settings of a process, read once at its start. */
export interface Settings {
  /** The program's folder, with `main.ts`. Absolute. */
  readonly root: string;
  /** The launcher starts its processes from their bundles in `dist/`, and not from `main.ts`. */
  readonly bundled: boolean;
  /** The home folder, with `configs/` and `state/`. Absolute. */
  readonly home: string;
  readonly http: Listener;
  /** Used only when a certificate exists. */
  readonly https: Listener;
  /** Address of a libSQL server for history; null: the local file. */
  readonly database: string | null;
  /** Optional processes that run. */
  readonly services: readonly string[];
  readonly network: "auto" | "on" | "off";
  /** Missing Debian packages may be installed. */
  readonly install: boolean;
  /** A folder whose parent belongs to root, for files that no other process may replace; null: none. */
  readonly privateState: string | null;
  /**
   * The process's own end of the socket on which its systemd unit expects signs of life; null: none are
   * expected there.
   */
  readonly watchdog: string | null;
  /** The process exits with its parent (when its standard input closes). */
  readonly attached: boolean;
  readonly secrets: Secrets;
}

/** The environment variables that are read, in the order of the manual. */
export const VARIABLES = [
  "SLUICE_HOME",
  "SLUICE_HTTP",
  "SLUICE_HTTPS",
  "SLUICE_DATABASE",
  "SLUICE_SERVICES",
  "SLUICE_NETWORK",
  "SLUICE_INSTALL",
] as const;

/** Environment variables with secrets: deleted from the environment as soon as they are read. */
export const SECRET_VARIABLES = ["SLUICE_ADMIN_PASSWORD", "SLUICE_DATABASE_TOKEN"] as const;

/** Values by name of variable; an empty text counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings. Throws {@link Refusal} that names every invalid variable. */
export function parseSettings(
  environment: Environment,
  program: {
    readonly root: string;
    /** Default: false. */
    readonly bundled?: boolean;
    readonly attached: boolean;
    /** Processes that `SLUICE_SERVICES` may name. */
    readonly services: readonly string[];
    /** Arguments of the systemd unit; the launcher gives none. */
    readonly privateState?: string | null;
    readonly watchdog?: string | null;
  },
): Settings {
  const complaints: string[] = [];
  const read = <T>(name: string, fallback: string, parse: (text: string) => T): T | undefined => {
    try {
      return parse(environment[name]?.trim() || fallback);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      complaints.push(`${name}: ${error.message}`);
      return undefined;
    }
  };
  const http = read("SLUICE_HTTP", "0.0.0.0:80", parseListener);
  const https = read("SLUICE_HTTPS", "0.0.0.0:443", parseListener);
  const database = read("SLUICE_DATABASE", "", parseDatabase);
  const services = read("SLUICE_SERVICES", "all", (text) => parseServices(text, program.services));
  const network = read("SLUICE_NETWORK", "auto", parseNetwork);
  const install = read("SLUICE_INSTALL", "yes", parseInstall);
  if (
    http === undefined || https === undefined || database === undefined ||
    services === undefined || network === undefined || install === undefined
  ) throw new Refusal(complaints.join("\n"));
  const home = environment["SLUICE_HOME"]?.trim() || join(program.root, "var");
  return {
    root: program.root,
    bundled: program.bundled ?? false,
    home: isAbsolute(home) ? resolve(home) : resolve(program.root, home),
    http,
    https,
    database,
    services,
    network,
    install,
    privateState: program.privateState ?? null,
    watchdog: program.watchdog ?? null,
    attached: program.attached,
    secrets: {
      adminPassword: environment["SLUICE_ADMIN_PASSWORD"] || null,
      databaseToken: environment["SLUICE_DATABASE_TOKEN"] || null,
    },
  };
}

/** The arguments by which a unit names paths of its process, by the setting that each gives. */
export const PATH_ARGUMENTS = {
  privateState: "--private-state=",
  watchdog: "--watchdog=",
} as const;

/** The paths that a process was given on its command line. */
export function pathArguments(
  words: readonly string[],
): Readonly<Record<keyof typeof PATH_ARGUMENTS, string | null>> {
  const value = (start: string): string | null =>
    words.find((word) => word.startsWith(start))?.slice(start.length) ?? null;
  return {
    privateState: value(PATH_ARGUMENTS.privateState),
    watchdog: value(PATH_ARGUMENTS.watchdog),
  };
}

/** The settings as environment of a child process, without any secret. */
export function settingsEnvironment(settings: Settings): Readonly<Record<string, string>> {
  return {
    SLUICE_HOME: settings.home,
    SLUICE_HTTP: formatListener(settings.http),
    SLUICE_HTTPS: formatListener(settings.https),
    SLUICE_SERVICES: settings.services.join(",") || "none",
    SLUICE_NETWORK: settings.network,
    SLUICE_INSTALL: settings.install ? "yes" : "no",
    ...(settings.database === null ? {} : { SLUICE_DATABASE: settings.database }),
  };
}

/** `192.0.2.1:80`, or `[2001:db8::1]:80` for IPv6. */
export function formatListener(listener: Listener): string {
  const host = listener.hostname.includes(":") ? `[${listener.hostname}]` : listener.hostname;
  return `${host}:${listener.port}`;
}

function parseListener(text: string): Listener {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9A-Za-z.-]+)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  const hostname = match?.[1] ?? match?.[2];
  if (hostname === undefined || !(port <= 65535)) {
    throw new Refusal(
      `Write an address and a port such as 0.0.0.0:80, 127.0.0.1:8080 or [::]:80, got "${text}"`,
    );
  }
  return { hostname, port };
}

function parseDatabase(text: string): string | null {
  if (text === "") return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["libsql:", "https:", "http:"].includes(url.protocol)) {
    throw new Refusal("Write the address of a libSQL server such as libsql://history.example");
  }
  if (url.username !== "" || url.password !== "" || url.searchParams.has("authToken")) {
    throw new Refusal("Leave the token out of the address and put it in SLUICE_DATABASE_TOKEN");
  }
  return text;
}

function parseServices(text: string, known: readonly string[]): readonly string[] {
  if (text === "all") return known;
  if (text === "none") return [];
  const names = text.split(",").map((name) => name.trim());
  // These run whether they are named or not.
  const accepted = [...known, "api", "netd"];
  const unknown = names.filter((name) => !accepted.includes(name));
  if (unknown.length > 0) {
    throw new Refusal(
      `Write all, none, or a comma list of ${known.join(", ")}, got "${unknown.join(", ")}"`,
    );
  }
  return known.filter((service) => names.includes(service));
}

function parseInstall(text: string): boolean {
  if (text === "yes" || text === "no") return text === "yes";
  throw new Refusal(`Write yes or no, got "${text}"`);
}

function parseNetwork(text: string): Settings["network"] {
  if (text === "auto" || text === "on" || text === "off") return text;
  throw new Refusal(`Write auto, on or off, got "${text}"`);
}
