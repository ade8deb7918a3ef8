import type { VNode } from "preact";
import type { AccessChange, Devices, Preview } from "../../wire.ts";
import { accessRows, connectionCount } from "./access_changes.ts";
import { Icon } from "../show/icon.tsx";
import { Name } from "../show/name.tsx";
import { t, tn } from "../../text/language.ts";

const MAX_EFFECTS = 30;

/** What a change would do: what follows beside access, who loses access and who gains it. */
export function AccessSummary(
  { preview, devices }: { preview: Preview; devices: Devices },
): VNode {
  const { allowed, denied, more } = preview.reach;
  return (
    <>
      <AccessChanges
        title={t("Who loses access")}
        icon="gate_closed"
        tone="danger-t"
        flips={denied}
        devices={devices}
      />
      <AccessChanges
        title={t("Who gains access")}
        icon="gate_open"
        tone="success-t"
        flips={allowed}
        devices={devices}
      />
      {more > 0 && (
        <p class="s quiet part">
          {tn(
            "And {count} more connection not listed here.",
            "And {count} more connections not listed here.",
            more,
          )}
        </p>
      )}
      <Effects sentences={preview.effects} />
    </>
  );
}

/** What else follows from the change, beside access. */
function Effects({ sentences }: { sentences: readonly string[] }): VNode | null {
  if (sentences.length === 0) return null;
  return (
    <section class="part" aria-label={t("Also changes")}>
      <h3>
        {t("Also changes")}
        <span class="n">{tn("{count} effect", "{count} effects", sentences.length)}</span>
      </h3>
      <ul class="gl">
        {sentences.slice(0, MAX_EFFECTS).map((sentence) => (
          <li key={sentence} lang="en">
            <Icon name="arrow" small />
            <Name>{sentence}</Name>
          </li>
        ))}
      </ul>
      {sentences.length > MAX_EFFECTS && (
        <p class="s quiet">
          {tn(
            "And {count} more effect.",
            "And {count} more effects.",
            sentences.length - MAX_EFFECTS,
          )}
        </p>
      )}
    </section>
  );
}

function AccessChanges(
  { title, icon, tone, flips, devices }: {
    title: string;
    icon: "gate_closed" | "gate_open";
    tone: string;
    flips: readonly AccessChange[];
    devices: Devices;
  },
): VNode {
  const rows = accessRows(flips, devices);
  return (
    <section class="part" aria-label={title}>
      <h3>
        <span class={tone}>
          <Icon name={icon} small />
        </span>
        {title}
        <span class="n">{connectionCount(flips)}</span>
      </h3>
      {rows.length > 0 && (
        <ul class="gl">
          {rows.map((row, index) => (
            <li key={index}>
              <Icon name="arrow" small />
              <Name class="clamp">{row.who}</Name>
              <span class="r">{row.traffic}</span>
              <span class="reason">{row.reason}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
