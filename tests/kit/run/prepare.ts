import { aptGet, dpkgQuery } from "../../../system/host/tools/apt.ts";
import { aptArguments, installedPackages } from "../../../system/install/packages.ts";

/** What keeps tests from running here. `failed`: it should have been possible. */
export interface Lack {
  readonly why: string;
  readonly failed: boolean;
}

/** What some tests need of the machine. */
export interface Needs {
  readonly name: string;
  readonly needsRoot: boolean;
  /** Debian packages; brought when the run is root's. */
  readonly packages: readonly string[];
}

/** Brings the Debian packages that tests need. Answers why they cannot run, or null when they can. */
export async function prepare(needs: Needs, say: (text: string) => void): Promise<Lack | null> {
  const root = Deno.uid() === 0;
  if (needs.needsRoot && !root) return { why: "it needs root", failed: false };
  if (needs.packages.length === 0) return null;
  const { signal } = new AbortController();
  const known = await dpkgQuery(needs.packages, signal);
  if (known === null) return { why: "it needs a Debian system", failed: false };
  const present = installedPackages(known);
  const missing = needs.packages.filter((name) => !present.has(name));
  if (missing.length === 0) return null;
  const list = missing.join(" ");
  if (!root) return { why: `it needs: apt-get install ${list}`, failed: false };
  say(`Installing what ${needs.name} needs: ${list}`);
  const apt = aptGet(signal);
  if ((await apt(aptArguments(missing))).ok) return null;
  await apt(["update"]);
  const { ok, message: text } = await apt(aptArguments(missing));
  return ok ? null : { why: `apt-get install ${list} failed: ${text}`, failed: true };
}
