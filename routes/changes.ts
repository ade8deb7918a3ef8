import type { Config } from "../system/config.ts";
import {
  ChangeDetail,
  ChangeId,
  ChangeList,
  ChangeQuery,
  WindowState,
} from "../system/changes/schema.ts";
import type { Preview } from "../system/core/change.ts";
import type { Engine } from "../system/core/engine.ts";
import { empty, json } from "./http/answer.ts";
import { userOf } from "./http/authentication.ts";
import { changeHeaders, changeOptions, flag } from "./http/decide.ts";
import { type Route, route } from "./http/route.ts";

/** What the routes of changes need from outside. */
export interface ChangesDeps {
  readonly engine: Pick<
    Engine<Config>,
    "history" | "window" | "undo" | "previewUndo" | "restore" | "previewRestore" | "confirm"
  >;
  /** On the router's own console, where nobody signs in. */
  readonly console?: boolean;
  /** Told of the addresses that a previewed change would give the router. */
  readonly foresee?: (addresses: readonly string[]) => void;
}

/** The history of decisions: what was changed, taking it back, and keeping what waits. */
export function changesRoutes({ engine, console = false, foresee }: ChangesDeps): Route[] {
  const shown = (preview: Preview): Response => {
    foresee?.(preview.addresses);
    return json(preview);
  };
  const common = { tag: "Changes", access: "auth" } as const;
  return [
    route({
      method: "GET",
      path: "/changes",
      ...common,
      summary: "What was changed, newest first",
      query: ChangeQuery,
      response: ChangeList,
      errors: [400, 404],
    }, ({ query }) => engine.history.list(query.limit, query.after)),
    // Ahead of `/changes/{id}`, which would take it for an id.
    route({
      method: "GET",
      path: "/changes/window",
      ...common,
      summary: "The change that waits to be confirmed",
      response: WindowState,
    }, () => ({ window: engine.window.current() })),
    route({
      method: "GET",
      path: "/changes/{id}",
      ...common,
      summary: "One change in full, without secrets",
      params: ChangeId,
      response: ChangeDetail,
      errors: [404],
    }, ({ params }) => engine.history.get(params.id)),
    route({
      method: "PUT",
      path: "/changes/{id}/undo",
      ...common,
      summary: "Take a change back by a new one",
      decides: true,
      params: ChangeId,
      errors: [404, 409, 502],
    }, async ({ c, params, caller }) => {
      // Who may undo a password change may set a password: no token does.
      const { patch } = await engine.history.get(params.id);
      if (!console && patch.some(({ document }) => document === "users")) await userOf(c);
      const options = changeOptions(c, caller);
      if (flag(c, "dryRun")) return shown(await engine.previewUndo(params.id, options));
      const outcome = await engine.undo(params.id, options);
      const answer = empty(outcome.early ? 202 : 200);
      changeHeaders(answer.headers, outcome);
      return answer;
    }),
    route({
      method: "PUT",
      path: "/changes/{id}/restore",
      ...common,
      summary: "Bring everything back to what it was right after a change, by a new one",
      decides: true,
      params: ChangeId,
      errors: [404, 409, 502],
    }, async ({ c, params, caller }) => {
      // Who may bring an old password back may set a password: no token does.
      const refusal = console ? null : await userOf(c).then(() => null, (error) => error);
      const options = {
        ...changeOptions(c, caller),
        permit: (documents: readonly string[]) => {
          if (refusal !== null && documents.includes("users")) throw refusal;
        },
      };
      if (flag(c, "dryRun")) return shown(await engine.previewRestore(params.id, options));
      const outcome = await engine.restore(params.id, options);
      const answer = empty(outcome.early ? 202 : 200);
      changeHeaders(answer.headers, outcome);
      return answer;
    }),
    route({
      method: "PUT",
      path: "/changes/{id}/confirm",
      ...common,
      summary: "Keep the change whose window is open",
      params: ChangeId,
      errors: [404, 409],
    }, async ({ params }) => {
      await engine.confirm(params.id);
    }),
  ];
}
