import { join } from "node:path";
import { notFound, Problem } from "../../core/errors/problem.ts";
import type { ContainerPlan } from "../../core/machine/container_plan.ts";
import type { Plugin } from "../schema.ts";
import { MAX_COMPOSE_BYTES, readCompose } from "./compose_file.ts";

/** Where compose files of plugins lie below the home of the router. */
const COMPOSE_FOLDER = "configs/compose";

/**
 * The containers that the compose file of a plugin describes. No part of its path may be a link. Throws
 * Problem 404 where there is no such file, 400 for what it may not say.
 */
export async function planOf(
  plugin: Pick<Plugin, "Name" | "ComposeFilePath">,
  home: string,
): Promise<ContainerPlan> {
  const place = `${COMPOSE_FOLDER}/${plugin.ComposeFilePath}`;
  let path = home;
  for (const part of place.split("/")) {
    path = join(path, part);
    const found = await kindOf(path);
    if (found === null) throw notFound(`There is no compose file ${place}; put it there`);
    if (found.isSymlink) {
      throw new Problem(400, `${place} is reached by a link; put the file there`);
    }
    if (path.endsWith(place) && (!found.isFile || found.size > MAX_COMPOSE_BYTES)) {
      throw new Problem(400, `${place} is no file of at most ${MAX_COMPOSE_BYTES >> 10} KiB`);
    }
  }
  return await readCompose(await Deno.readTextFile(path), plugin);
}

async function kindOf(path: string): Promise<Deno.FileInfo | null> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return null;
    }
    throw error;
  }
}
