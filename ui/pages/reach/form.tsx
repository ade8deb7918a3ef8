import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { endLabels, endOfText, textOfEnd } from "./endpoints.ts";
import type { Question } from "./text.ts";
import { t } from "../../text/language.ts";

const PROTOCOLS = [["tcp", "TCP"], ["udp", "UDP"], ["icmp", t("Ping")]] as const;

/** The form of an access test: source, destination, protocol and port. */
export function AskForm(
  { question, problem, onAsk }: {
    question: Question;
    /** Message of the API for a field of the test. */
    problem: (field: keyof Question) => string | null;
    onAsk: (question: Question) => void;
  },
): VNode {
  const from = useSignal(textOfEnd(question.from));
  const to = useSignal(textOfEnd(question.to));
  const protocol = useSignal(question.protocol);
  const port = useSignal(question.port);
  const missing = useSignal<Partial<Record<keyof Question, string>>>({});
  const known = endLabels.value;
  useEffect(() => {
    from.value = textOfEnd(question.from);
    to.value = textOfEnd(question.to);
    protocol.value = question.protocol;
    port.value = question.port;
  }, [question.from, question.to, question.protocol, question.port, known.size > 2]);

  function ask(): void {
    const wanted: Question = {
      from: endOfText(from.value),
      to: endOfText(to.value),
      protocol: protocol.value,
      port: protocol.value === "icmp" ? "" : port.value.trim(),
    };
    missing.value = {
      ...(wanted.from === "" ? { from: t("Enter a device or an IP address") } : {}),
      ...(wanted.to === "" ? { to: t("Enter a device or an IP address") } : {}),
      ...(wanted.port === "" && wanted.protocol !== "icmp" ? { port: t("Enter a port") } : {}),
    };
    if (Object.keys(missing.value).length === 0) onAsk(wanted);
  }

  const fault = (field: keyof Question): string | null => missing.value[field] ?? problem(field);
  return (
    <form
      class="access-test-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <Field
        label={t("From")}
        list="reach-ends"
        autocomplete="off"
        placeholder={t("Device, IP address or Internet")}
        problem={fault("from")}
        value={from.value}
        onValue={(value) => from.value = value}
      />
      <Field
        label={t("To")}
        list="reach-ends"
        autocomplete="off"
        placeholder={t("Device, IP address or This router")}
        problem={fault("to")}
        value={to.value}
        onValue={(value) => to.value = value}
      />
      <SelectField
        label={t("Protocol")}
        value={protocol.value}
        options={PROTOCOLS}
        onValue={(value) => protocol.value = value}
      />
      {protocol.value !== "icmp" && (
        <Field
          label={t("Port")}
          inputMode="numeric"
          autocomplete="off"
          problem={fault("port")}
          value={port.value}
          onValue={(value) => port.value = value}
        />
      )}
      <div class="row">
        <button class="btn primary" type="submit">{t("Test")}</button>
        <button
          class="btn"
          type="button"
          onClick={() => {
            const before = from.value;
            from.value = to.value;
            to.value = before;
            if (question.from !== "") ask();
          }}
        >
          {t("Swap")}
        </button>
      </div>
      <datalist id="reach-ends">
        {[...known].map(([end, label]) => <option key={end} value={label} />)}
      </datalist>
    </form>
  );
}
