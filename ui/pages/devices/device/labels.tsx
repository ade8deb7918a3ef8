import type { ComponentChildren, VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import { applyOrPreview } from "../../../actions/apply.ts";
import { formRules } from "../../../generated/form_rules.ts";
import { Label } from "../../../parts/show/chips.tsx";
import { Icon } from "../../../parts/show/icon.tsx";
import { Names } from "../../../parts/show/name.tsx";
import { ApiProblem, textOf } from "../../../api/problem.ts";
import { devices, groups } from "../../../state/store.ts";
import type { Device } from "../../../wire.ts";
import { nameOf } from "../../../text/format.ts";
import { changeTag } from "./actions.ts";
import { stagedOf, stageGroup } from "./staged.ts";
import { t } from "../../../text/language.ts";
import { rich } from "../../../text/translate.ts";

/** The groups a device is in, with whom it shares them, and the way to another. */
export function Groups({ identity, device }: { identity: string; device: Device }): VNode {
  const others = (groups.value ?? []).map((group) => group.Name)
    .filter((name) => !device.Groups.includes(name));
  const edits = stagedOf(identity, device)?.groups;
  const shown = [
    ...device.Groups.filter((group) => edits?.get(group) !== false),
    ...[...edits ?? []].filter(([, joins]) => joins).map(([group]) => group),
  ];
  return (
    <section class="panel" aria-labelledby="groups">
      <header>
        <h2 id="groups">{t("Groups")}</h2>
      </header>
      <div class="pad">
        {shown.length === 0 && (
          <p class="s quiet">
            {t("Not in a group. Members of a group reach each other on all ports.")}
          </p>
        )}
        <ul class="pills">
          {shown.map((group) => (
            <li key={group}>
              <div>
                <Label>{group}</Label>
                <p class="s quiet any">
                  {edits?.get(group) ? t("Joins once applied.") : membersText(identity, group)}
                </p>
              </div>
              <button
                class="icon-btn small"
                type="button"
                aria-label={t("Leave group {group}", { group })}
                onClick={() => stageGroup(identity, group, false)}
              >
                <Icon name="x" small />
              </button>
            </li>
          ))}
        </ul>
        <AddLabel
          what="group"
          known={others}
          onAdd={(name) => {
            stageGroup(identity, name, true);
            return Promise.resolve();
          }}
        />
      </div>
    </section>
  );
}

function membersText(identity: string, group: string): ComponentChildren {
  const disabled = groups.value?.find(({ Name }) => Name === group)?.Disabled;
  if (disabled) return t("The group is disabled.");
  const others = Object.entries(devices.value ?? {})
    .filter(([other, device]) => other !== identity && device.Groups.includes(group))
    .map(([other, device]) => nameOf(other, device));
  if (others.length === 0) return t("No other members.");
  const more = others.length > 3 ? t(" and {others} more.", { others: others.length - 3 }) : ".";
  return (
    <>
      {rich(t("With {others}"), { others: <Names>{others.slice(0, 3)}</Names> })}
      {more}
    </>
  );
}

/** The tags of a device; those that allow nothing are changed at once. */
export function Tags({ identity, device }: { identity: string; device: Device }): VNode {
  const problem = useSignal<string | null>(null);
  const known = [...new Set(Object.values(devices.value ?? {}).flatMap((one) => one.DeviceTags))]
    .filter((tag) => !device.DeviceTags.includes(tag));
  async function remove(tag: string): Promise<void> {
    problem.value = null;
    await applyOrPreview(changeTag(identity, tag, false)).catch((error) =>
      problem.value = textOf(error)
    );
  }
  return (
    <section class="panel" aria-labelledby="tags">
      <header>
        <h2 id="tags">{t("Tags")}</h2>
      </header>
      <div class="pad">
        {device.DeviceTags.length === 0 && <p class="s quiet">{t("None.")}</p>}
        <ul class="pills">
          {device.DeviceTags.map((tag) => (
            <li key={tag}>
              <Label>{tag}</Label>
              <button
                class="icon-btn small"
                type="button"
                aria-label={t("Remove tag {tag}", { tag })}
                onClick={() => void remove(tag)}
              >
                <Icon name="x" small />
              </button>
            </li>
          ))}
        </ul>
        {problem.value && <p class="problem" role="alert">{problem.value}</p>}
        <AddLabel
          what="tag"
          known={known}
          onAdd={(tag) => applyOrPreview(changeTag(identity, tag, true))}
        />
      </div>
    </section>
  );
}

function AddLabel(
  { what, known, onAdd }: {
    what: "group" | "tag";
    known: readonly string[];
    onAdd: (name: string) => Promise<void>;
  },
): VNode {
  const text = useSignal("");
  const problem = useSignal<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const name = text.value.trim().toLowerCase();
    if (name === "") {
      field.current?.focus();
      return;
    }
    try {
      problem.value = null;
      await onAdd(name);
      text.value = "";
    } catch (error) {
      problem.value = error instanceof ApiProblem && error.errors[0] !== undefined
        ? error.errors[0].message
        : textOf(error);
      field.current?.focus();
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <div class="inline-add">
        <input
          ref={field}
          class="input"
          aria-label={what === "group" ? t("Add to a group") : t("Add to tags")}
          placeholder={what === "group" ? t("Add to group") : t("New tag")}
          list={`${id}-known`}
          maxLength={formRules.label.maxLength}
          autocomplete="off"
          dir="auto"
          value={text.value}
          aria-invalid={problem.value ? true : undefined}
          aria-describedby={problem.value ? `${id}-p` : undefined}
          onInput={(event) => text.value = event.currentTarget.value}
        />
        <datalist id={`${id}-known`}>
          {known.map((name) => <option key={name} value={name} />)}
        </datalist>
        <button class="btn" type="submit">
          <Icon name="plus" small />
          {t("Add")}
          <span class="vh">{what === "group" ? t("group") : t("tag")}</span>
        </button>
      </div>
      {problem.value && (
        <p class="problem" id={`${id}-p`}>
          <Icon name="alert" small />
          {problem.value}
        </p>
      )}
    </form>
  );
}
