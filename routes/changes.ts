import type { Context } from "hono";
import type { Config } from "../system/config.ts";
import {
  ChangeDetail,
  ChangeId,
  ChangeList,
  ChangeQuery,
  WindowState,
} from "../system/changes/schema.ts";
import type { Outcome, Preview } from "../system/core/engine/change.ts";
import type { Engine } from "../system/core/engine/engine.ts";
import { empty } from "./http/answer.ts";
import { changeHeaders, changeOptions, flag, previewAnswer } from "./http/decide.ts";
import type { Permit } from "./http/document_scopes.ts";
import { type Route, route } from "./http/route.ts";

/** What the routes of changes need from outside. */
export interface ChangesDeps {
  readonly engine: Pick<
    Engine<Config>,
    "history" | "window" | "undo" | "previewUndo" | "restore" | "previewRestore" | "confirm"
  >;
  /** Which documents the caller may change; absent on the router's own console, which has no sign-in. */
  readonly permits?: (c: Context) => Promise<Permit>;
  /** Receives the addresses that a previewed change would give the router. */
  readonly foresee?: (addresses: readonly string[]) => void;
}

/** The change history: list, undo, restore and confirm. */
export function changesRoutes({ engine, permits, foresee }: ChangesDeps): Route[] {
  const shown = async (preview: Preview): Promise<Response> => {
    foresee?.(preview.addresses);
    return await previewAnswer(preview);
  };
  const common = { tag: "Changes", access: "auth" } as const;
  return [
    route({
      method: "GET",
      path: "/changes",
      compresses: true,
      ...common,
      summary: "Change history, newest first",
      description:
        "Pages by `after`, the last ID of the previous page; `next` is null on the last one. `by` and " +
        "`what` keep the changes of one author, and those whose summary contains a text. " +
        "With `device`, an identity, only changes of that device. " +
        "Changes of files, timers and services are listed as well.",
      query: ChangeQuery,
      response: ChangeList,
      errors: [400, 404],
    }, ({ query: { limit, device, ...filter } }) =>
      engine.history.list(limit, {
        ...filter,
        about: device === undefined ? undefined : { document: "devices", element: device },
      })),
    // Ahead of `/changes/{id}`, which would take it for an id.
    route({
      method: "GET",
      path: "/changes/window",
      compresses: true,
      ...common,
      summary: "The open confirm window",
      description:
        "The change that reverts unless it is confirmed in time; `window` is null when there is " +
        "none.",
      response: WindowState,
    }, () => ({ window: engine.window.current() })),
    route({
      method: "GET",
      path: "/changes/{id}",
      ...common,
      summary: "One change in full",
      description:
        "Adds the configuration patch and the kernel changes to the summary. Secrets read " +
        "`(hidden)`.",
      params: ChangeId,
      response: ChangeDetail,
      errors: [404],
    }, ({ params }) => engine.history.get(params.id)),
    route({
      method: "PUT",
      path: "/changes/{id}/undo",
      ...common,
      summary: "Undo a change",
      description:
        "Applies the inverse of the change to today's configuration as a new change. Refused with " +
        "409 when a later change touched the same values.",
      decides: true,
      params: ChangeId,
      errors: [404, 409, 502],
    }, async ({ c, params, caller }) => {
      const { patch } = await engine.history.get(params.id);
      (await permits?.(c))?.(patch.map(({ document }) => document));
      const options = changeOptions(c, caller);
      if (flag(c, "dryRun")) return await shown(await engine.previewUndo(params.id, options));
      return outcomeAnswer(await engine.undo(params.id, options));
    }),
    route({
      method: "PUT",
      path: "/changes/{id}/restore",
      ...common,
      summary: "Restore the configuration to a point in the history",
      description:
        "Brings the whole configuration back to what it was right after this change, as a new " +
        "change.",
      decides: true,
      params: ChangeId,
      errors: [404, 409, 502],
    }, async ({ c, params, caller }) => {
      const permit = await permits?.(c);
      const options = { ...changeOptions(c, caller), ...(permit ? { permit } : {}) };
      if (flag(c, "dryRun")) return await shown(await engine.previewRestore(params.id, options));
      return outcomeAnswer(await engine.restore(params.id, options));
    }),
    route({
      method: "PUT",
      path: "/changes/{id}/confirm",
      ...common,
      summary: "Confirm a change",
      description:
        "Keeps the change whose confirm window is open. Send the `Confirm-Token` of the change as " +
        "Bearer where the session no longer works.",
      params: ChangeId,
      errors: [404, 409],
    }, async ({ params }) => {
      await engine.confirm(params.id);
    }),
  ];
}

/** The answer to a write that has no content of its own. */
function outcomeAnswer(outcome: Outcome<unknown>): Response {
  const answer = empty(outcome.early ? 202 : 200);
  changeHeaders(answer.headers, outcome);
  return answer;
}
