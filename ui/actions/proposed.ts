import type { Action } from "./action.ts";
import type { Method, Request } from "../api/client.ts";
import { t } from "../text/language.ts";

/** A request that the API proposes; the path includes its query. */
export interface ProposedWrite {
  readonly summary: string;
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
}

/** The request of a proposed write, its query apart, so that a preview can add to it. */
function proposedRequest({ method, path, body }: ProposedWrite): Request {
  const [at = path, search = ""] = path.split("?", 2);
  return {
    method,
    path: at,
    ...(search === "" ? {} : { query: Object.fromEntries(new URLSearchParams(search)) }),
    ...(body === undefined ? {} : { body }),
  };
}

/** Previews a proposed request and applies it; the words complete its summary. */
export function proposedAction(
  write: ProposedWrite,
  text: Pick<Action, "title" | "sentence" | "details" | "done" | "danger">,
  after: () => void,
): Action {
  return {
    ...text,
    subject: `“${write.summary}”`,
    button: t("Apply change"),
    request: () => proposedRequest(write),
    after,
  };
}
