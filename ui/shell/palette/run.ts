import { openPreview } from "../../actions/action.ts";
import { call } from "../../api/client.ts";
import { blockDevice, flipPolicy } from "../../pages/devices/device/actions.ts";
import { blockMany } from "../../pages/devices/bulk_actions.ts";
import { failureText } from "../../api/problem.ts";
import { signOut } from "../../state/session.ts";
import { setTheme } from "../../state/theme.ts";
import { say } from "../../state/toast.ts";
import { undoAction } from "../../actions/undo.ts";
import type { Change, Page } from "../../wire.ts";
import { BLOCKED, policyNamed } from "../../text/policies.ts";
import type { PaletteCommand } from "./commands.ts";
import { t } from "../../text/language.ts";

/** Shows the preview of what was chosen; nothing moves before it is applied there. */
export async function runCommand(command: PaletteCommand): Promise<void> {
  switch (command.kind) {
    case "blockGroup":
      return openPreview(blockMany(command.identities));
    case "block":
    case "unblock":
      return openPreview(blockDevice(command.identity, BLOCKED, command.kind === "block"));
    case "internet":
      return openPreview(flipPolicy(command.identity, policyNamed("wan"), command.on));
    case "theme":
      return setTheme(command.theme);
    case "signOut":
      return await signOut();
    case "undoLast":
      return await undoLast();
  }
}

async function undoLast(): Promise<void> {
  try {
    const { body } = await call<Page<Change>>({ path: "/changes", query: { limit: "50" } });
    const last = lastUndoable(body.items);
    if (last === undefined) say({ text: t("There is no change to revert.") });
    else openPreview(undoAction(last.id, last.summary));
  } catch (error) {
    say({
      text: failureText(
        error,
        (text) => t("The last change could not be loaded. {text}", { text }),
      ),
    });
  }
}

/** The latest change that stands: itself no undo, and not taken back. */
export function lastUndoable(changes: readonly Change[]): Change | undefined {
  return changes.find(({ state, undoes, undoneBy }) =>
    undoes === null && undoneBy === null && (state === "committed" || state === "written")
  );
}
