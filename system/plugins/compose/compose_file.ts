import * as z from "zod";
import { pointer, Problem, type ProblemItem } from "../../core/errors/problem.ts";
import {
  CONTAINER_SOCKETS,
  ContainerName,
  ContainerNetworkMode,
  ContainerPlan,
  ImageName,
  type PlannedContainer,
  RestartPolicy,
  TargetPath,
  Variable,
} from "../../core/machine/container_plan.ts";
import type { Plugin } from "../schema.ts";
import { isOwnFolder } from "../built_in.ts";

/** Bytes of a compose file. */
export const MAX_COMPOSE_BYTES = 64 << 10;

/** Beginnings of labels that Compose and we write ourselves. */
const OWN_LABELS = /^(?:com\.docker\.|sluice\.)/;

const Scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const Environment = z.union([
  z.array(Variable).max(128),
  z.record(z.string().max(128), Scalar.nullable()).transform((all) =>
    Object.entries(all).map(([name, value]) => `${name}=${value ?? ""}`)
  ).pipe(z.array(Variable).max(128)),
]);

const Labels = z.union([
  z.array(z.string().max(1024)).max(64).transform((list) =>
    Object.fromEntries(list.map((one) => {
      const at = one.indexOf("=");
      return at < 0 ? [one, ""] : [one.slice(0, at), one.slice(at + 1)];
    }))
  ),
  z.record(z.string(), Scalar),
]).refine(
  (labels) => Object.keys(labels).every((name) => /^[A-Za-z0-9][\w./-]{0,127}$/.test(name)),
  {
    error: "Name labels with letters, digits, dots, slashes, hyphens and underscores",
  },
).refine((labels) => !Object.keys(labels).some((name) => OWN_LABELS.test(name)), {
  error: "Labels of com.docker. and sluice. are set by the router",
});

/** `./state/plugins/<Name>/…:/target[:ro]`, or the long form of Compose. */
const Volume = z.union([
  z.string().max(600).transform((text, context) => {
    const [source = "", target = "", mode = "rw", ...more] = text
      // What compose files of existing routers begin paths with: the folder of the program.
      .replace(/^\$\{SUPERDIR\}(?=[./])/, "").split(":");
    if (more.length > 0 || !["ro", "rw"].includes(mode)) {
      context.addIssue({
        code: "custom",
        message: 'Write "/state/plugins/<Name>/folder:/target", with ":ro" to only read it',
      });
      return z.NEVER;
    }
    return { source, target, read_only: mode === "ro" };
  }),
  z.strictObject({
    type: z.literal("bind"),
    source: z.string().max(255),
    target: z.string().max(255),
    read_only: z.boolean().default(false),
  }).transform(({ type: _, ...volume }) => volume),
]);

/** A service: what is not named here is refused, whatever Compose would make of it. */
const Service = z.strictObject({
  image: ImageName,
  container_name: ContainerName.optional(),
  environment: Environment.default([]),
  volumes: z.array(Volume).max(16).default([]),
  network_mode: ContainerNetworkMode.default("none"),
  restart: RestartPolicy.default("unless-stopped"),
  labels: Labels.default({}),
});

const ComposeFile = z.strictObject({
  /** Compose ignores both. */
  version: Scalar.optional(),
  name: z.string().max(128).optional(),
  services: z.record(ContainerName, Service)
    .refine((all) => Object.keys(all).length > 0, { error: "Name at least one service" }),
});

/**
 * The containers that a compose file describes: a strict part of the Compose Specification. Throws
 * Problem 400 with a JSON pointer for whatever else it says.
 */
export async function readCompose(
  text: string,
  { Name, ComposeFilePath }: Pick<Plugin, "Name" | "ComposeFilePath">,
): Promise<ContainerPlan> {
  if (isOwnFolder(Name)) throw new Problem(400, `${Name} is a part of Sluice; choose another name`);
  const raw = await parsed(text, ComposeFilePath);
  const { data, error } = ComposeFile.safeParse(raw);
  if (data === undefined) throw refused(ComposeFilePath, error!.issues.map(itemOf));
  const faults: ProblemItem[] = [];
  const containers = Object.entries(data.services).map(([service, one]): PlannedContainer => ({
    service,
    name: one.container_name ?? `${Name}-${service}`,
    image: one.image,
    environment: one.environment,
    mounts: one.volumes.map(({ source, target, read_only }, index) => {
      const at = ["services", service, "volumes", index];
      const place = placeOf(source);
      const own = `state/plugins/${Name}`;
      if (
        place !== own && place !== `${CONTAINER_SOCKETS}/${Name}` && !place.startsWith(`${own}/`)
      ) {
        faults.push({
          pointer: pointer(at),
          message: `A container sees folders of its plugin alone: write /${own}/… for ${
            shown(source)
          }`,
        });
      }
      const { error } = TargetPath.safeParse(target);
      if (error !== undefined) {
        faults.push({ pointer: pointer(at), message: error.issues[0]!.message });
      }
      return { source: place, target, readOnly: read_only };
    }),
    network: one.network_mode,
    restart: one.restart,
    labels: one.labels,
  }));
  if (faults.length > 0) throw refused(ComposeFilePath, faults);
  const plan = ContainerPlan.safeParse({ plugin: Name, composeFile: ComposeFilePath, containers });
  if (plan.success) return plan.data;
  throw refused(ComposeFilePath, plan.error.issues.map((issue) => inFile(issue, containers)));
}

/** A path as the plan has it: without what it begins with, and never outside. */
function placeOf(source: string): string {
  const place = source.replace(/^\.?\//, "").replace(/\/$/, "");
  return place.split("/").some((part) => part === "" || part === "." || part === "..") ? "" : place;
}

async function parsed(text: string, path: string): Promise<unknown> {
  if (new TextEncoder().encode(text).length > MAX_COMPOSE_BYTES) {
    throw new Problem(400, `${path} has more than ${MAX_COMPOSE_BYTES >> 10} KiB`);
  }
  // Only where containers are made of a file, so it is not loaded at the start.
  const { parseDocument } = await import("yaml");
  try {
    const document = parseDocument(text, {
      ...{ schema: "core", version: "1.2", strict: true, uniqueKeys: true, merge: false },
      ...{ resolveKnownTags: false, logLevel: "error" },
    });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) throw fault;
    // Anchors could stand for more than fits into memory, so none is followed.
    return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    const [why] = (error instanceof Error ? error.message : String(error)).split("\n");
    const reason = why!.startsWith("Alias") ? "write out what its aliases (*name) stand for" : why;
    throw new Problem(400, `${path} is refused: ${reason}`, { cause: error });
  }
}

function itemOf(issue: z.core.$ZodIssue): ProblemItem {
  if (issue.code === "unrecognized_keys") {
    return {
      pointer: pointer([...issue.path, issue.keys[0]!]),
      message: `A plugin's compose file may not say ${issue.keys.join(", ")}`,
    };
  }
  // What an alternative has to say is nearer than that none of them matched.
  const nested = issue.code === "invalid_union"
    ? issue.errors.flat().toSorted((a, b) => b.path.length - a.path.length)[0]
    : undefined;
  if (nested !== undefined) return itemOf({ ...nested, path: [...issue.path, ...nested.path] });
  return { pointer: pointer(issue.path), message: issue.message };
}

/** Where in the compose file a fault of the plan is. */
function inFile(
  { path, message }: z.core.$ZodIssue,
  containers: readonly PlannedContainer[],
): ProblemItem {
  const [, index, member, ...rest] = path;
  const service = containers[Number(index)]?.service ?? "";
  const named = { name: "container_name", mounts: "volumes" }[String(member)] ?? member ?? "";
  return { pointer: pointer(["services", service, named, ...rest.slice(0, 1)]), message };
}

function refused(path: string, errors: readonly ProblemItem[]): Problem {
  const [first] = errors;
  return new Problem(400, `${path} is refused at ${first?.pointer || "/"}: ${first?.message}`, {
    errors: errors.slice(0, 20),
  });
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
