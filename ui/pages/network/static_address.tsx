import type { VNode } from "preact";
import type { Signal } from "@preact/signals";
import { Field } from "../../parts/form/field.tsx";
import type { FormState } from "../../parts/form/use_form.ts";
import { t } from "../../text/language.ts";

/** Static address and gateway of an uplink. */
export function FixedAddress(
  { write, ip, router }: {
    write: Pick<FormState, "text">;
    ip: Signal<string>;
    router: Signal<string>;
  },
): VNode {
  return (
    <>
      <Field
        label={t("Address (CIDR)")}
        help={t("For example 203.0.113.2/24")}
        autocomplete="off"
        {...write.text("IP", ip)}
      />
      <Field
        label={t("Gateway")}
        help={t("For example 203.0.113.1")}
        autocomplete="off"
        {...write.text("Router", router)}
      />
    </>
  );
}
