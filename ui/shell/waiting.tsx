import type { VNode } from "preact";
import { slowRequests } from "../api/waiting.ts";
import { t } from "../text/language.ts";

/** Says that the router is at work while a request of a person's takes longer than two seconds. */
export function Waiting(): VNode {
  return (
    <div role="status">
      {slowRequests.value > 0 && (
        <div class="waiting">
          <span>{t("The router is working on it…")}</span>
        </div>
      )}
    </div>
  );
}
