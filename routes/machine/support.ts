import { ARCHIVE_TYPE } from "../../system/backup/schema.ts";
import type { Programs } from "../../system/core/process/programs.ts";
import type { Releases } from "../../system/machine/releases.ts";
import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import { documents } from "../../system/documents.ts";
import { renderLoadSteps } from "../../system/core/kernel/nft/text.ts";
import { type LogSource, readLogs } from "../../system/machine/logs/read.ts";
import { LogQuery } from "../../system/machine/logs/schema.ts";
import { inSlices } from "../../system/core/time/slices.ts";
import type { Notices } from "../../system/notices/board.ts";
import { supportBundle } from "../../system/machine/support/bundle.ts";
import { formerSecrets } from "../../system/machine/support/scrub.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of the support bundle. */
export interface SupportDeps {
  readonly engine: Pick<
    Engine<Config>,
    "config" | "history" | "network" | "findings" | "host" | "desired"
  >;
  readonly notices: Pick<Notices, "list">;
  readonly programs: Pick<Programs, "list">;
  readonly releases: Pick<Releases, "current">;
  readonly features: readonly string[];
  readonly sources: () => Promise<readonly LogSource[]>;
  readonly load: () => { readonly seconds: number; readonly load: readonly number[] };
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Changes and notices that a bundle lists. */
const LISTED = 100;

/** The support bundle, without secrets. */
export function supportRoutes(deps: SupportDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/support",
      tag: "Diagnostics",
      access: "auth",
      summary: "Download the support bundle",
      description:
        "A .tar.gz of versions, facts of the machine, the ruleset, logs and settings, for " +
        "troubleshooting. Current and former secrets are removed.",
      mediaType: ARCHIVE_TYPE,
      sends: ["Content-Disposition"],
    }, async ({ c }) => {
      const headers = {
        "content-type": ARCHIVE_TYPE,
        "content-disposition": `attachment; filename="sluice-support-${stamp(deps.now())}.tgz"`,
      };
      // A HEAD request does not create a bundle.
      return new Response(c.req.method === "HEAD" ? null : await bundle(deps), { headers });
    }),
  ];
}

async function bundle(deps: SupportDeps): Promise<Uint8Array<ArrayBuffer>> {
  const { engine, notices, programs, releases, features, sources, now } = deps;
  const former = formerSecrets(
    engine.history.patches(),
    (name) => documents[name as keyof Config] ?? {},
  );
  // Without the former secrets no log may be included.
  const logs = textOrError(
    former.then(sources)
      // A failing source does not hide the others.
      .then((list) => Promise.all(list.map((source) => textOrError(lines(source)))))
      .then((parts) => parts.join("")),
  );
  return await supportBundle<Config>({
    config: engine.config,
    documents,
    former: await former.catch(() => []),
    time: now() / 1000,
    texts: {
      "ruleset.nft": await inSlices(renderLoadSteps(engine.desired.ruleset)),
      "logs.jsonl": await logs,
    },
    facts: {
      about: {
        version: releases.current,
        features,
        at: new Date(now()).toISOString(),
        deno: Deno.version,
        build: Deno.build,
        memory: Deno.systemMemoryInfo(),
        ...deps.load(),
      },
      processes: await attempt(programs.list()),
      network: { ...engine.network, ...engine.findings },
      kernel: await attempt(engine.host.facts()),
      notices: await attempt(notices.list({ limit: LISTED, all: true })),
      changes: await attempt(engine.history.list(LISTED)),
    },
  });
}

/** The newest lines of a log. */
async function lines(source: LogSource): Promise<string> {
  const entries = await readLogs([source], LogQuery.parse({}));
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

/** A failing part is named in the bundle, which is needed most when something is broken. */
async function attempt(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    return { unavailable: error instanceof Error ? error.message : String(error) };
  }
}

async function textOrError(text: Promise<string>): Promise<string> {
  return await text.catch((error) =>
    `unavailable: ${error instanceof Error ? error.message : error}\n`
  );
}

function stamp(now: number): string {
  return new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}
