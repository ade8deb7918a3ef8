import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { call } from "../../api/client.ts";
import { Field } from "../../parts/form/field.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { t } from "../../text/language.ts";

interface Link {
  readonly Name: string;
}

/** Pings a host from one interface of the router. */
export function PingPanel(): VNode {
  const link = useSignal("");
  const address = useSignal("");
  const answer = useSignal<readonly string[] | null>(null);
  const links = useLoaded<readonly Link[]>({ path: "/interfacesConfiguration" }, []);
  const id = useId();
  const write = useForm({
    check: () => [
      ...(link.value.trim() === ""
        ? [{ pointer: "/interface", message: t("Select an interface") }]
        : []),
      ...(address.value.trim() === ""
        ? [{ pointer: "/address", message: t("Enter an IP address, for example 192.0.2.1") }]
        : []),
    ],
    send: async () => {
      answer.value = null;
      const parts = [link.value, address.value].map((part) => encodeURIComponent(part.trim()));
      const { body } = await call<readonly string[]>({
        method: "PUT",
        path: `/ping/${parts.join("/")}`,
      });
      answer.value = body;
    },
  });
  return (
    <section class="panel" aria-labelledby="ping">
      <header>
        <h2 id="ping">{t("Ping")}</h2>
      </header>
      <Form write={write} failed={t("Ping failed.")} class="form pad">
        <Field
          label={t("Interface")}
          {...write.text("interface", link)}
          list={id}
          autocomplete="off"
          maxLength={15}
        />
        <datalist id={id}>
          {links.body?.map(({ Name }) => <option key={Name} value={Name} />)}
        </datalist>
        <Field
          label={t("IP address")}
          help={t("Host names are not resolved")}
          {...write.text("address", address)}
          autocomplete="off"
          maxLength={45}
        />
        <div class="row">
          <SubmitButton write={write} class="btn">{t("Ping")}</SubmitButton>
        </div>
        <p class={answer.value === null ? "vh" : "s"} role="status">
          {answer.value !== null && (
            answer.value.length === 0
              ? t("No route to this address.")
              : answer.value.map((time) => time === "timeout" ? t("no answer") : time).join(", ")
          )}
        </p>
      </Form>
    </section>
  );
}
