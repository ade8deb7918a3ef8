import type { Context } from "hono";
import type { Config } from "../../system/config.ts";
import type { Caller, Command } from "../../system/core/engine/change.ts";
import { changeOptions, previewAnswer } from "../http/decide.ts";
import type { MeshDeps } from "./deps.ts";

/** The preview of what happens outside the configuration: on another router, or to tokens. */
export async function previewEffects(
  engine: Pick<MeshDeps["engine"], "preview">,
  { c, caller }: { readonly c: Context; readonly caller: Caller },
  effects: readonly string[],
): Promise<Response> {
  const nothing: Command<Config, void> = {
    kind: "mesh.preview",
    summary: effects.join("; "),
    reduce: (config) => [config, undefined],
  };
  const preview = await engine.preview(nothing, changeOptions(c, caller));
  return await previewAnswer({ ...preview, effects: [...preview.effects, ...effects] });
}
