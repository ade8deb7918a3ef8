import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { applyOrPreview } from "../../actions/action.ts";
import { Field } from "../../parts/form/field.tsx";
import { Name } from "../../parts/show/name.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import { faults, moved, type OrderRow, rowsOf, sharesOf } from "./order.ts";
import type { Uplink, Watch } from "./wire.ts";

/** Form of the order and weights of uplinks. */
export function OrderForm(
  { now, etag, uplinks }: { now: Watch; etag: string | null; uplinks: readonly Uplink[] },
): VNode {
  const rows = useSignal<readonly OrderRow[]>(rowsOf(uplinks));
  const names = uplinks.map(({ Iface }) => Iface).join(" ");
  useEffect(() => {
    rows.value = rowsOf(uplinks);
  }, [etag, names]);
  const write = useForm({
    check: () => faults(rows.value),
    send: ({ overwrite: over }) =>
      applyOrPreview({
        title: "Preview: WAN order",
        subject: "WAN order",
        sentence: "applies with these weights.",
        button: "Save order",
        done: "was saved.",
        request: () => ({
          method: "PUT",
          path: "/wan/config",
          ifMatch: over ? null : etag,
          body: { ...now, Uplinks: sharesOf(rows.value, now.Uplinks) },
        }),
      }),
  });
  const move = (at: number, by: -1 | 1): void => {
    rows.value = moved(rows.value, at, by);
    write.clear();
  };
  const weigh = (at: number, weight: string): void => {
    rows.value = rows.value.map((row, one) => one === at ? { ...row, weight } : row);
    write.edited(`Uplinks/${at}/Weight`);
  };
  return (
    <section class="panel" aria-labelledby="order">
      <header>
        <h2 id="order">Order and weights</h2>
      </header>
      <Form write={write} class="form pad" failed="The order was not saved.">
        <p class="s quiet">
          The router itself uses the first that works. New connections from the LAN are balanced by
          weight: 3 and 1 are three quarters and one quarter. 0 is standby, used only when no other
          works.
        </p>
        <ol class="uplink-order" aria-label="WAN order">
          {rows.value.map(({ name, weight }, at) => (
            <li key={name}>
              <b>
                <Name>{name}</Name>
              </b>
              <Field
                label={`Weight of ${name}`}
                inputMode="numeric"
                autocomplete="off"
                value={weight}
                problem={write.at(`Uplinks/${at}/Weight`)}
                onValue={(value) => weigh(at, value)}
              />
              <button
                class="btn small"
                type="button"
                disabled={at === 0}
                onClick={() => move(at, -1)}
              >
                Up<span class="vh">{name}</span>
              </button>
              <button
                class="btn small"
                type="button"
                disabled={at === rows.value.length - 1}
                onClick={() => move(at, 1)}
              >
                Down<span class="vh">{name}</span>
              </button>
            </li>
          ))}
        </ol>
        <div class="row">
          <SubmitButton write={write} class="btn">Save order</SubmitButton>
        </div>
      </Form>
    </section>
  );
}
