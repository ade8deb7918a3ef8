import type { VNode } from "preact";
import { useLocation, useRoute } from "preact-iso/router";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../../actions/action.ts";
import { applyOrPreview } from "../../../actions/apply.ts";
import { Fault } from "../../../parts/form/fault.tsx";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { Switch } from "../../../parts/form/switch.tsx";
import { useDraft } from "../../../parts/form/use_draft.ts";
import { useForm } from "../../../parts/form/use_form.ts";
import { Loading } from "../../../parts/load/loading.tsx";
import { Icon } from "../../../parts/show/icon.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { PageHead } from "../../../parts/show/page_head.tsx";
import { devices, groups, loadProblem } from "../../../state/store.ts";
import { nameOf } from "../../../text/format.ts";
import type { Group } from "../../../wire.ts";
import {
  changeGroup,
  changeMembers,
  deleteGroup,
  draftOf,
  groupTitle,
  membersOf,
  switchGroup,
} from "../actions.ts";
import { GroupFields, MemberPicker } from "../group_fields.tsx";
import { GroupSchedule } from "./schedule.tsx";
import { t, tn } from "../../../text/language.ts";

/** One group: its members, the access that they get, and whether they reach each other. */
export default function GroupPage(): VNode {
  const name = useRoute().params["name"] ?? "";
  const { route } = useLocation();
  const group = groups.value?.find(({ Name }) => Name === name);
  const parent = {
    href: "/admin/groups",
    title: t("Groups"),
    here: group ? groupTitle(group) : name,
  };
  if (groups.value === null || devices.value === null) {
    return loadProblem.value === null
      ? <Loading what={t("the group")} />
      : <Fault title={t("The group could not be loaded.")}>{loadProblem.value}</Fault>;
  }
  if (group === undefined) {
    return (
      <PageHead
        title={t("Group")}
        heading={t("Group not found")}
        note={t("It was deleted, or never existed")}
        parent={parent}
      />
    );
  }
  const members = membersOf(name);
  const title = groupTitle(group);
  return (
    <>
      <PageHead
        title={title}
        note={`${tn("{count} member", "{count} members", members.length)}${
          group.Disabled
            ? ` ${t("· disabled")}`
            : group.Isolated
            ? ` ${t("· isolated from each other")}`
            : ""
        }`}
        parent={parent}
      >
        <Switch
          label={t("{title} is on", { title })}
          on={!group.Disabled}
          onFlip={() => openPreview(switchGroup(group, group.Disabled))}
        />
        <button
          class="btn danger"
          type="button"
          onClick={() =>
            openPreview(deleteGroup(group, members.length, () => route("/admin/groups")))}
        >
          {t("Delete group")}
        </button>
      </PageHead>
      <div class="cols main-side">
        <div class="stack">
          <Members group={group} members={members} />
          <AddMembers group={group} members={members} />
        </div>
        <div class="stack">
          <Settings key={name} group={group} />
          <GroupSchedule key={`${name} times`} group={group} />
        </div>
      </div>
    </>
  );
}

function Members(
  { group, members }: { group: Group; members: readonly string[] },
): VNode {
  return (
    <section class="panel" aria-labelledby="members">
      <header>
        <h2 id="members">{t("Members")}</h2>
        {members.length > 0 && (
          <a
            class="s quiet"
            href={`/admin/devices?q=${encodeURIComponent(`group:"${group.Name}"`)}`}
          >
            {t("In the device list")}
          </a>
        )}
      </header>
      {members.length === 0 && <p class="pad s quiet">{t("No members yet.")}</p>}
      <ul class="rows">
        {members.map((identity) => {
          const device = devices.value?.[identity];
          const name = nameOf(identity, device);
          return (
            <li key={identity}>
              <div class="grow">
                <a class="link" href={`/admin/devices/${encodeURIComponent(identity)}`}>
                  <Name>{name}</Name>
                </a>
                <p>{device?.RecentIP || t("No address")}</p>
              </div>
              <button
                class="icon-btn small"
                type="button"
                aria-label={t("Remove {name}", { name })}
                onClick={() => openPreview(changeMembers(group, [], [identity]))}
              >
                <Icon name="x" small />
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function AddMembers({ group, members }: { group: Group; members: readonly string[] }): VNode {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const added = [...chosen.value].filter((identity) => !members.includes(identity));
  const write = useForm({
    check: () =>
      added.length === 0 ? [{ pointer: "", message: t("Choose at least one device") }] : [],
    async send() {
      await applyOrPreview({
        ...changeMembers(group, added),
        after: () => void (chosen.value = new Set()),
      });
    },
  });
  return (
    <section class="panel" aria-labelledby="add-members">
      <header>
        <h2 id="add-members">{t("Add members")}</h2>
      </header>
      <Form write={write} failed={t("No device was added.")} class="pad form">
        <MemberPicker
          legend={t("Devices")}
          without={members}
          chosen={chosen.value}
          onChosen={(next) => chosen.value = next}
        />
        <div class="row">
          <SubmitButton write={write}>
            {added.length === 0
              ? t("Add")
              : tn("Add {count} device", "Add {count} devices", added.length)}
          </SubmitButton>
        </div>
      </Form>
    </section>
  );
}

function Settings({ group }: { group: Group }): VNode {
  const draft = useDraft(draftOf(group));
  const write = useForm({
    async send({ overwrite }) {
      const wanted = { ...draft.value, title: draft.value.title.trim() };
      const action = changeGroup(group, wanted, overwrite ? null : draft.from);
      await applyOrPreview({ ...action, after: draft.saved });
    },
  });
  return (
    <section class="panel" aria-labelledby="settings">
      <header>
        <h2 id="settings">{t("Settings")}</h2>
      </header>
      <Form write={write} failed={t("The group was not changed.")} class="pad form" draft={draft}>
        <GroupFields write={write} draft={draft.value} onDraft={draft.edit} />
        <div class="row">
          <SubmitButton write={write}>{t("Save")}</SubmitButton>
        </div>
      </Form>
    </section>
  );
}
