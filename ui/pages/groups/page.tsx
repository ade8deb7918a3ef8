import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { type Action, applyOrPreview, openPreview } from "../../actions/action.ts";
import { formRules } from "../../generated/form_rules.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name, Names } from "../../parts/show/name.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import type { ProblemItem } from "../../api/problem.ts";
import { devices, groups, loadProblem } from "../../state/store.ts";
import type { Group } from "../../wire.ts";
import { count, nameOf } from "../../text/format.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";

/** Groups: members reach each other; create, disable and delete. */
export default function GroupsPage({ title }: PageProps): VNode {
  const all = groups.value;
  return (
    <>
      <PageHead
        title={title}
        note="Members of a group reach each other on all ports, in both directions"
      />
      <div class="cols main-side">
        <section class="panel" aria-label="All groups">
          {all === null
            ? (loadProblem.value === null
              ? <Loading what="groups" rows={3} />
              : <Fault title="The groups could not be loaded.">{loadProblem.value}</Fault>)
            : all.length === 0
            ? <NoGroups />
            : (
              <ul class="rows">
                {all.toSorted((a, b) => a.Name.localeCompare(b.Name)).map((group) => (
                  <Row key={group.Name} group={group} />
                ))}
              </ul>
            )}
        </section>
        <NewGroup />
      </div>
    </>
  );
}

function members(group: string): readonly string[] {
  return Object.entries(devices.value ?? {})
    .filter(([, device]) => device.Groups.includes(group))
    .map(([identity, device]) => nameOf(identity, device));
}

function Row({ group }: { group: Group }): VNode {
  const inside = members(group.Name);
  const on = !group.Disabled;
  return (
    <li>
      <div class="grow">
        <b>
          <Name>{group.Name}</Name>
        </b>
        <p>
          {inside.length === 0 ? "No members" : (
            <>
              <Names>{inside.slice(0, 4)}</Names>
              {inside.length > 4 && ` and ${inside.length - 4} more`}
            </>
          )}
          {!on && <span class="warning-t">· Disabled</span>}
        </p>
      </div>
      <Switch
        label={`${group.Name} is on`}
        on={on}
        onFlip={() => openPreview(switchGroup(group, !on))}
      />
      <button
        class="btn small danger"
        type="button"
        onClick={() => openPreview(deleteGroup(group, inside.length))}
      >
        Delete<span class="vh">{group.Name}</span>
      </button>
    </li>
  );
}

function switchGroup(group: Group, on: boolean): Action {
  return {
    title: `Preview: group ${on ? "on" : "off"}`,
    subject: group.Name,
    sentence: on
      ? "lets its members reach each other again."
      : "is disabled. Its members no longer reach each other through it.",
    button: on ? "Enable" : "Disable",
    done: on ? "was enabled." : "was disabled.",
    request: () => ({
      method: "PUT",
      path: "/groups",
      body: {
        ...(groups.value?.find(({ Name }) => Name === group.Name) ?? group),
        Disabled: !on,
      },
    }),
  };
}

function deleteGroup(group: Group, size: number): Action {
  return {
    title: "Preview: delete group",
    subject: group.Name,
    sentence: "is deleted.",
    details: [
      size === 0
        ? "It has no members."
        : `${count(size, "member", "members")} removed from it. The devices themselves stay.`,
    ],
    button: "Delete group",
    danger: true,
    done: "is deleted.",
    request: () => ({ method: "DELETE", path: "/groups", body: { Name: group.Name } }),
  };
}

function NewGroup(): VNode {
  const name = useSignal("");
  const wanted = name.value.trim().toLowerCase();
  const write = useForm({
    check: () => nameFaults(wanted),
    async send() {
      await applyOrPreview({
        title: "Preview: new group",
        subject: wanted,
        sentence: "is created without members.",
        button: "Create group",
        done: "was created. Add devices to it on their pages.",
        request: () => ({
          method: "PUT",
          path: "/groups",
          body: { Name: wanted, Disabled: false, GroupTags: [] },
        }),
      });
      name.value = "";
    },
  });
  return (
    <section class="panel" aria-labelledby="new-group">
      <header>
        <h2 id="new-group">New group</h2>
      </header>
      <Form write={write} failed="The group was not created." class="pad form">
        <Field
          label="Name"
          help="Lowercase, for example kids or media"
          maxLength={formRules.label.maxLength}
          autocomplete="off"
          {...write.text("Name", name)}
        />
        <div class="row">
          <SubmitButton write={write}>Create group</SubmitButton>
        </div>
      </Form>
    </section>
  );
}

function nameFaults(wanted: string): readonly ProblemItem[] {
  if (wanted === "") return [{ pointer: "/Name", message: "Enter a name" }];
  return groups.value?.some((group) => group.Name === wanted)
    ? [{ pointer: "/Name", message: "A group with this name already exists" }]
    : [];
}

function NoGroups(): VNode {
  return (
    <div class="empty">
      <Icon name="gate" />
      <h2>No groups yet</h2>
      <p class="s soft">
        Members of a group reach each other. Without groups, devices on the LAN are isolated from
        each other.
      </p>
    </div>
  );
}
