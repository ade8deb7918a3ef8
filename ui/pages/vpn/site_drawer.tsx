import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { previewForm } from "../../actions/apply.ts";
import type { ProblemItem } from "../../api/problem.ts";
import { CheckField, Seg } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Form } from "../../parts/form/form.tsx";
import { FormFooter } from "../../parts/form/form_footer.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Name } from "../../parts/show/name.tsx";
import { groups } from "../../state/store.ts";
import { saveSite } from "./actions.ts";
import { ConfigField } from "./config_field.tsx";
import { listOf } from "./text.ts";
import type { Site, SiteOutcome } from "./wire.ts";
import { t } from "../../text/language.ts";

const METHODS = [["new", t("Begin here")], ["file", t("From a file")]] as const;

/** Form of a site. */
export function SiteDrawer(
  { site, onClose, onDone }: {
    /** Null for a new one. */
    site: Site | null;
    onClose: () => void;
    onDone: (outcome: SiteOutcome) => void;
  },
): VNode {
  const id = useId();
  const method = useSignal<string>("new");
  const name = useSignal(site?.Name ?? "");
  const networks = useSignal(site?.Networks.join(", ") ?? "");
  const endpoint = useSignal(site?.Endpoint ?? "");
  const labels = useSignal(site?.Groups.join(", ") ?? "");
  const lan = useSignal(site?.Policies.includes("lan") ?? false);
  const file = useSignal("");
  const isFile = site === null && method.value === "file";
  const policies = () => [
    ...(site?.Policies ?? []).filter((policy) => policy !== "lan"),
    ...(lan.value ? ["lan"] : []),
  ];
  const body = () => ({
    Name: name.value.trim(),
    Groups: listOf(labels.value),
    Policies: policies(),
    ...(isFile
      ? { Config: file.value }
      : { Networks: listOf(networks.value), Endpoint: endpoint.value.trim() }),
  });
  const write = useForm({
    check: () => [
      ...missing("Name", name.value, t("Enter a name")),
      ...(isFile
        ? missing("Config", file.value, t("Choose the file of the other router, or paste it"))
        : missing("Networks", networks.value, t("Enter the network behind the other router"))),
    ],
    send: () =>
      previewForm(saveSite(body(), (outcome) => {
        onClose();
        onDone(outcome);
      })),
  });
  return (
    <Dialog
      kind="drawer"
      title={site === null ? t("Add site") : <Name>{site.Name}</Name>}
      note={t("Joins the network of another router with this one")}
      onClose={onClose}
    >
      <Form write={write} failed={t("Nothing was changed.")} id="site-form" class="body form">
        {site === null && (
          <Seg
            label={t("How the site is added")}
            value={method.value}
            options={METHODS}
            onValue={(value) => method.value = value}
          />
        )}
        {site === null && (
          <Field
            label={t("Name")}
            help={t("For example Cabin")}
            autocomplete="off"
            maxLength={64}
            {...write.text("Name", name)}
          />
        )}
        {isFile
          ? (
            <ConfigField
              label={t("File of the other router")}
              problem={write.at("Config")}
              value={file.value}
              onValue={(value) => {
                file.value = value;
                write.edited("Config");
              }}
            />
          )
          : (
            <>
              <Field
                label={t("Networks behind the other router")}
                help={t(
                  "Comma-separated, for example 192.168.7.0/24. They must differ from those here",
                )}
                autocomplete="off"
                {...write.text("Networks", networks)}
              />
              <Field
                label={t("Address of the other router")}
                help={t("For example cabin.example:51280. Empty: it calls this router")}
                autocomplete="off"
                {...write.text("Endpoint", endpoint)}
              />
            </>
          )}
        <Field
          label={t("Groups")}
          help={t("Their devices reach the site, and are reached from there")}
          autocomplete="off"
          list={`${id}-groups`}
          {...write.text("Groups", labels)}
        />
        <datalist id={`${id}-groups`}>
          {(groups.value ?? []).map(({ Name }) => <option key={Name} value={Name} />)}
        </datalist>
        <CheckField
          label={t("The site may open connections to every LAN device")}
          value={lan.value}
          onValue={(value) => lan.value = value}
        />
      </Form>
      <FormFooter write={write} form="site-form" text={t("Preview site")} onClose={onClose} />
    </Dialog>
  );
}

function missing(field: string, value: string, message: string): readonly ProblemItem[] {
  return value.trim() === "" ? [{ pointer: `/${field}`, message }] : [];
}
