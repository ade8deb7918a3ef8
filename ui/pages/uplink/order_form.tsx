import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { applyOrPreview } from "../../actions/apply.ts";
import { CheckField, SelectField } from "../../parts/form/choice_field.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Name } from "../../parts/show/name.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import type { Share, Uplink, Watch } from "./wire.ts";
import type { ProblemItem } from "../../api/problem.ts";
import { t, tc } from "../../text/language.ts";

const MODES: readonly (readonly [string, string])[] = [
  ["off", t("Failover: the first that works")],
  ["pair", t("Balance by destination")],
  ["source", t("Balance by device")],
  ["connection", t("Balance per connection")],
];

/** Form of how several uplinks are used: failover or balancing, their order and weights. */
export function OrderForm(
  { now, etag, uplinks }: { now: Watch; etag: string | null; uplinks: readonly Uplink[] },
): VNode {
  const rows = useSignal<readonly OrderRow[]>(rowsOf(uplinks));
  const mode = useSignal<string>(now.Balance);
  const moves = useSignal(now.Failback === "all");
  const failover = mode.value === "off";
  const names = uplinks.map(({ Iface }) => Iface).join(" ");
  useEffect(() => {
    rows.value = rowsOf(uplinks);
    mode.value = now.Balance;
    moves.value = now.Failback === "all";
  }, [etag, names]);
  const write = useForm({
    check: () => faults(rows.value),
    send: ({ overwrite: over }) =>
      applyOrPreview({
        title: t("Preview: WAN order"),
        subject: t("WAN order"),
        sentence: failover ? t("applies as failover.") : t("applies with these weights."),
        button: t("Save order"),
        done: t("was saved."),
        request: () => ({
          method: "PUT",
          path: "/wan/config",
          ifMatch: over ? null : etag,
          body: {
            ...now,
            Balance: mode.value,
            Failback: moves.value ? "all" : "new",
            Uplinks: sharesOf(rows.value, now.Uplinks),
          },
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
        <h2 id="order">{t("Failover and balancing")}</h2>
      </header>
      <Form write={write} class="form pad" failed={t("The order was not saved.")}>
        <SelectField
          label={t("Mode")}
          help={failover
            ? t("All connections use the first that works; the others are standby")
            : t(
              "New connections are balanced by weight: 3 and 1 are three quarters and one quarter. 0 is standby, used only when no other works. The router itself uses the first",
            )}
          value={mode.value}
          options={MODES}
          onValue={(value) => mode.value = value}
        />
        <ol class="uplink-order" aria-label={t("WAN order")}>
          {rows.value.map(({ name, weight }, at) => (
            <li key={name}>
              <b>
                <Name>{name}</Name>
              </b>
              {failover
                ? <span class="s quiet">{at === 0 ? t("First") : t("Standby")}</span>
                : (
                  <Field
                    label={t("Weight of {name}", { name })}
                    inputMode="numeric"
                    autocomplete="off"
                    value={weight}
                    problem={write.at(`Uplinks/${at}/Weight`)}
                    onValue={(value) => weigh(at, value)}
                  />
                )}
              <button
                class="btn small"
                type="button"
                disabled={at === 0}
                onClick={() => move(at, -1)}
              >
                {tc("order", "Up")}
                <span class="vh">{name}</span>
              </button>
              <button
                class="btn small"
                type="button"
                disabled={at === rows.value.length - 1}
                onClick={() => move(at, 1)}
              >
                {tc("order", "Down")}
                <span class="vh">{name}</span>
              </button>
            </li>
          ))}
        </ol>
        <CheckField
          label={t("Move connections back")}
          help={t(
            "Once a better WAN is up again, connections on the standby are ended. Off: only new ones move",
          )}
          value={moves.value}
          onValue={(value) => moves.value = value}
        />
        <div class="row">
          <SubmitButton write={write} class="btn">{t("Save order")}</SubmitButton>
        </div>
      </Form>
    </section>
  );
}

/** An uplink in the form: its weight as it is typed. */
interface OrderRow {
  readonly name: string;
  readonly weight: string;
}

/** The uplinks as they are taken now. */
function rowsOf(uplinks: readonly Uplink[]): readonly OrderRow[] {
  return uplinks.map(({ Iface, Weight }) => ({ name: Iface, weight: String(Weight) }));
}

/** The list with one place moved up (-1) or down (1); the same where it cannot. */
function moved(rows: readonly OrderRow[], at: number, by: -1 | 1): readonly OrderRow[] {
  const one = rows[at], other = rows[at + by];
  if (one === undefined || other === undefined) return rows;
  return rows.map((row) => row === one ? other : row === other ? one : row);
}

/** What is wrong with the weights, each at its place. */
function faults(rows: readonly OrderRow[]): readonly ProblemItem[] {
  return rows.flatMap(({ weight }, at) =>
    /^\d{1,3}$/.test(weight.trim()) && Number(weight) <= 100 ? [] : [{
      pointer: `/Uplinks/${at}/Weight`,
      message: t("Enter a whole number from 0 to 100"),
    }]
  );
}

/** What is sent: the places, then those that were listed and are no uplinks at present. */
function sharesOf(rows: readonly OrderRow[], before: readonly Share[]): readonly Share[] {
  const shown = new Set(rows.map(({ name }) => name));
  return [
    ...rows.map(({ name, weight }) => ({ Iface: name, Weight: Number(weight) })),
    ...before.filter(({ Iface }) => !shown.has(Iface)),
  ];
}
