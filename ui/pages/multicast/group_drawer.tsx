import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { previewForm } from "../../actions/apply.ts";
import { checkBody } from "../../parts/form/body_check.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Name } from "../../parts/show/name.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { FormFooter } from "../../parts/form/form_footer.tsx";
import { Form } from "../../parts/form/form.tsx";
import { ApiProblem } from "../../api/problem.ts";
import { addAddress, addressName, editAddress, type Settings } from "./actions.ts";
import type { MulticastAddress } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Form of a multicast group; its preview opens over it. */
export function AddressDrawer(
  { one, settings, onClose }: {
    /** Null for a new one. */
    one: MulticastAddress | null;
    settings: Settings;
    onClose: () => void;
  },
): VNode {
  const address = useSignal(one?.Address ?? "");
  const tags = useSignal(one?.Tags.join(", ") ?? "");
  const description = useSignal(one?.Description ?? "");
  const wanted = (): MulticastAddress => ({
    Address: address.value.trim(),
    Disabled: one?.Disabled ?? false,
    Tags: tags.value.split(",").map((tag) => tag.trim()).filter((tag) => tag !== ""),
    Description: description.value.trim(),
  });
  const write = useForm({
    check: () => checkBody(formBodies.MulticastAddress, { ...wanted() }),
    async send() {
      const after = () => {
        onClose();
        settings.after();
      };
      const next = wanted();
      try {
        await previewForm(
          one === null
            ? addAddress({ ...settings, after }, next)
            : editAddress({ ...settings, after }, one, next),
        );
      } catch (error) {
        throw error instanceof ApiProblem ? within(error, next.Address, settings) : error;
      }
    },
  });
  return (
    <Dialog
      kind="drawer"
      title={one === null ? t("Add multicast group") : <Name>{addressName(one)}</Name>}
      note={one === null ? t("For example of a speaker or a game") : one.Address}
      onClose={onClose}
    >
      <Form
        write={write}
        failed={t("Nothing was changed.")}
        id="multicast-form"
        class="body form"
      >
        {one === null && (
          <Field
            label={t("Address and port")}
            help={t("For example 239.255.255.250:1900")}
            autocomplete="off"
            {...write.text("Address", address)}
          />
        )}
        <Field
          label={t("Description")}
          help={t("For example the product name")}
          autocomplete="off"
          {...write.text("Description", description)}
        />
        <Field
          label={t("Tags")}
          help={t(
            "Only between interfaces with a device with one of these tags. Empty = all interfaces",
          )}
          autocomplete="off"
          {...write.text("Tags", tags)}
        />
      </Form>
      <FormFooter
        write={write}
        form="multicast-form"
        text={t("Preview group")}
        onClose={onClose}
      />
    </Dialog>
  );
}

/** A problem of the whole list as one of the entry that was sent. */
function within(problem: ApiProblem, address: string, { now }: Settings): ApiProblem {
  const known = now().Addresses.findIndex(({ Address }) => Address === address);
  // A new one stands at the end, also when it is there already.
  const pointers = [`/Addresses/${now().Addresses.length}/`, `/Addresses/${known}/`];
  const errors = problem.errors.map(({ pointer, message }) => {
    const entry = pointers.find((one) => pointer.startsWith(one));
    return { pointer: entry === undefined ? pointer : pointer.slice(entry.length - 1), message };
  });
  return new ApiProblem(problem.status, problem.message, { ...problem.members, errors });
}
