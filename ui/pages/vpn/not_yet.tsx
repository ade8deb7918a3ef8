import type { VNode } from "preact";
import { Fault } from "../../parts/form/fault.tsx";
import { t } from "../../text/language.ts";

/** Why a new key does not connect yet; nothing where it does. */
export function NotYet({ problem }: { problem: string }): VNode | null {
  return problem === ""
    ? null
    : <Fault warning title={t("It does not connect yet.")}>{problem}.</Fault>;
}
