import type { Context } from "hono";
import * as z from "zod";
import { existingRouter, skipReason } from "../../system/backup/existing.ts";
import { machineInterfaces } from "../../system/backup/machine_interfaces.ts";
import { missingInterfaces } from "../../system/backup/missing_interfaces.ts";
import { applyPartsSteps, planRestoreSteps, type RestorePlan } from "../../system/backup/plan.ts";
import {
  ARCHIVE_TYPE,
  BackupItem,
  BackupName,
  BackupReport,
  type MachineInterface,
  RestoreRequest,
} from "../../system/backup/schema.ts";
import type { Backups } from "../../system/backup/store.ts";
import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import { invalid, pointer, sentence } from "../../system/core/errors/problem.ts";
import { documents } from "../../system/documents.ts";
import {
  type InterfaceMapping,
  mapInterfaces,
} from "../../system/network/interfaces/interface_mapping.ts";
import type { KnownUsers } from "../../system/access/rules.ts";
import { atOnce, inSlices } from "../../system/core/time/slices.ts";
import type { Permit } from "../http/document_scopes.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link backupRoutes}. */
export interface BackupDeps {
  readonly engine: Engine<Config>;
  readonly backups: Backups<Config>;
  /** Replaces plain-text passwords of users by their hashes. */
  readonly secured: (users: KnownUsers) => Promise<KnownUsers>;
  /** Which documents the caller may change. */
  readonly permits: (c: Context) => Promise<Permit>;
}

/** Bytes of a request with an archive in base64. */
const UPLOAD_BODY = 12 * 1024 * 1024;

/** Backup and restore of the configuration. */
export function backupRoutes(deps: BackupDeps): Route[] {
  const { backups } = deps;
  const list = { path: "/backup", tag: "Backup", access: "auth" } as const;
  const one = {
    path: "/backup/{name}",
    tag: "Backup",
    access: "otp",
    params: z.object({ name: BackupName }),
    errors: [404],
  } as const;
  return [
    route({
      method: "GET",
      ...list,
      summary: "Backups, newest first",
      description: "Lists the archives that are stored on the router, with their size in bytes.",
      response: z.array(BackupItem),
    }, () => backups.list()),
    route({
      method: "PUT",
      ...list,
      summary: "Create a backup",
      description:
        "Stores an archive of the whole configuration, including passwords and keys, and returns " +
        "its file name.",
      examples: { response: "spr-configs-v0.1.0.tgz" },
      response: z.string(),
      errors: [409],
    }, () => backups.create()),
    route({
      method: "PUT",
      path: "/backup/upload",
      tag: "Backup",
      access: "otp",
      summary: "Upload a backup",
      description:
        "Takes a .tar.gz of this or another router in base64, up to 8 MiB. Nothing is restored yet: " +
        "the report says what a restore would do.",
      examples: {
        body: { Archive: "H4sIAAAAAAAAAw==" },
        response: {
          Name: "spr-configs-v0.1.0.tgz",
          Report: {
            taken: [{ path: "base/firewall.json", document: "firewall", dropped: [] }],
            left: [],
            missing: [],
            present: [],
          },
        },
      },
      body: z.object({ Archive: z.base64({ error: "Send the archive in base64" }) }),
      maxBody: UPLOAD_BODY,
      response: z.object({ Name: z.string(), Report: BackupReport }),
      errors: [409],
    }, async ({ body }) => {
      const name = await backups.add(Uint8Array.fromBase64(body.Archive));
      try {
        return { Name: name, Report: await reportOf(deps, await planOf(backups, name)) };
      } catch (error) {
        // A refused archive is not stored.
        await backups.remove(name);
        throw error;
      }
    }),
    route({
      method: "GET",
      ...one,
      summary: "Download a backup",
      description: "The archive as a file. It contains passwords and keys: store it safely.",
      mediaType: ARCHIVE_TYPE,
      sends: ["Content-Disposition"],
    }, async ({ params }) =>
      new Response(await backups.read(params.name), {
        headers: {
          "content-type": ARCHIVE_TYPE,
          "content-disposition": `attachment; filename="${params.name}"`,
        },
      })),
    route(
      {
        method: "DELETE",
        ...one,
        summary: "Delete a backup",
        description: "Deletes the archive from the router. This cannot be undone.",
      },
      ({ params }) => backups.remove(params.name),
    ),
    route({
      ...one,
      method: "GET",
      path: "/backup/{name}/report",
      summary: "Preview a restore",
      description:
        "Lists the files that would be restored, with the entries that would be dropped, the " +
        "files that would be skipped, with the reason, and the interfaces that this machine does " +
        "not have, with those that may replace them.",
      response: BackupReport,
    }, async ({ params }) => await reportOf(deps, await planOf(backups, params.name))),
    restoreRoute(deps),
  ];
}

function restoreRoute(deps: BackupDeps): Route {
  const { backups, secured, permits } = deps;
  return route({
    method: "PUT",
    path: "/backup/{name}/restore",
    tag: "Backup",
    access: "otp",
    decides: true,
    summary: "Restore a backup",
    description:
      "Restores everything in the archive as one change and returns what was restored and " +
      "skipped. A backup without users keeps today's users. `Interfaces` puts interfaces of this " +
      "machine that replaces those that the backup names, in every setting.",
    examples: { body: { Interfaces: { eth0: "enp3s0" } } },
    params: z.object({ name: BackupName }),
    body: RestoreRequest,
    bodyOptional: true,
    response: BackupReport,
    errors: [404, 409],
  }, async (call) => {
    const { name } = call.params;
    const plan = await mappedPlan(deps, await planOf(backups, name), call.body?.Interfaces ?? {});
    const { parts } = plan, report = await reportOf(deps, plan);
    if (report.taken.length === 0) {
      throw invalid("", "Nothing in this archive is a part of the configuration");
    }
    const { users, limitedUsers } = await secured({ users: {}, limitedUsers: {}, ...parts });
    const ready = {
      ...parts,
      ...(parts.users === undefined ? {} : { users }),
      ...(parts.limitedUsers === undefined ? {} : { limitedUsers }),
    };
    const permit = await permits(call.c);
    function* steps(config: Config): Generator<void, readonly [Config, BackupReport]> {
      const next = yield* applyPartsSteps(config, ready);
      permit(namesOf(config).filter((part) => next[part] !== config[part]));
      return [next, report];
    }
    return await call.decide({
      kind: "backup.restore",
      summary: `Restored the backup ${name}`,
      reduce: (config) => atOnce(steps(config)),
      reduceSteps: steps,
    }, (report) => report);
  });
}

async function interfacesHere({ engine }: BackupDeps): Promise<readonly MachineInterface[]> {
  const { links } = await engine.host.facts();
  const radios = engine.config.interfaces.filter(({ Type }) => Type === "AP");
  return machineInterfaces(links, radios.map(({ Name }) => Name));
}

/** What would be restored, skipped, and is not on this machine. */
async function reportOf(deps: BackupDeps, plan: RestorePlan<Config>): Promise<BackupReport> {
  const here = await interfacesHere(deps);
  const missing = missingInterfaces({ ...plan, documents }, here);
  return { ...plan.report, missing: [...missing], present: missing.length > 0 ? [...here] : [] };
}

/** The plan with interfaces of this machine. Throws Problem 400. */
async function mappedPlan(
  deps: BackupDeps,
  plan: RestorePlan<Config>,
  mapping: InterfaceMapping,
): Promise<RestorePlan<Config>> {
  if (Object.keys(mapping).length === 0) return plan;
  const names = new Set((await interfacesHere(deps)).map(({ name }) => name));
  for (const [name, replacement] of Object.entries(mapping)) {
    if (names.has(replacement)) continue;
    throw invalid(
      pointer(["Interfaces", name]),
      sentence("This machine has no interface {replacement}", { replacement }),
    );
  }
  return {
    ...plan,
    parts: mapInterfaces(plan.parts, documents, mapping),
    macs: new Map(
      [...plan.macs].flatMap(([name, mac]) =>
        Object.hasOwn(mapping, name) ? [] : [[name, mac] as const]
      ),
    ),
  };
}

function namesOf(config: Config): readonly (keyof Config)[] {
  return Object.keys(config) as (keyof Config)[];
}

async function planOf(backups: Backups<Config>, name: string): Promise<RestorePlan<Config>> {
  const files = await backups.open(name);
  const rules = { documents, foreign: existingRouter, skipReason };
  return keepAdmins(await inSlices(planRestoreSteps(files, rules)));
}

/** A backup without users would lock everybody out: the current users stay. */
function keepAdmins(plan: RestorePlan<Config>): RestorePlan<Config> {
  const { users, ...parts } = plan.parts;
  if (users === undefined || Object.keys(users).length > 0) return plan;
  const { path } = documents.users;
  return {
    ...plan,
    parts,
    report: {
      taken: plan.report.taken.filter((file) => file.path !== path),
      left: [...plan.report.left, { path, reason: "It holds no user, so today's users stay" }],
    },
  };
}
