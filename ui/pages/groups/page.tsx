import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../actions/action.ts";
import { applyOrPreview } from "../../actions/apply.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name, Names } from "../../parts/show/name.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { useForm } from "../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../parts/form/form.tsx";
import type { ProblemItem } from "../../api/problem.ts";
import { devices, groups, loadProblem } from "../../state/store.ts";
import type { Group } from "../../wire.ts";
import { nameOf } from "../../text/format.ts";
import { momentText } from "../../text/time.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { createGroup, type GroupDraft, groupTitle, membersOf, switchGroup } from "./actions.ts";
import { GroupFields, MemberPicker } from "./group_fields.tsx";
import { t } from "../../text/language.ts";

const EMPTY: GroupDraft = { title: "", access: "", isolated: false };

/** Groups of devices, and a new one. */
export default function GroupsPage({ title }: PageProps): VNode {
  const all = groups.value;
  return (
    <>
      <PageHead
        title={title}
        note={t("Members of a group reach each other on all ports, unless it is one of guests")}
      />
      <div class="cols main-side">
        <section class="panel" aria-label={t("All groups")}>
          {all === null
            ? (loadProblem.value === null
              ? <Loading what={t("groups")} rows={3} />
              : <Fault title={t("The groups could not be loaded.")}>{loadProblem.value}</Fault>)
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

function Row({ group }: { group: Group }): VNode {
  const inside = membersOf(group.Name).map((one) => nameOf(one, devices.value?.[one]));
  const on = !group.Disabled;
  return (
    <li>
      <div class="grow">
        <a class="link" href={`/admin/groups/${encodeURIComponent(group.Name)}`}>
          <Name>{groupTitle(group)}</Name>
        </a>
        <p>
          {inside.length === 0 ? t("No members") : (
            <>
              <Names>{inside.slice(0, 4)}</Names>
              {inside.length > 4 && t(" and {inside} more", { inside: inside.length - 4 })}
            </>
          )}
          {group.Isolated && <span>{t("· Isolated from each other")}</span>}
          {group.ClosedUntil !== undefined && (
            <span class="warning-t">
              {t("· Closed until {moment}", {
                moment: momentText(group.ClosedUntil, Date.now()),
              })}
            </span>
          )}
          {!on && <span class="warning-t">{t("· Disabled")}</span>}
        </p>
      </div>
      <Switch
        label={t("{groupTitle} is on", { groupTitle: groupTitle(group) })}
        on={on}
        onFlip={() => openPreview(switchGroup(group, !on))}
      />
    </li>
  );
}

function NewGroup(): VNode {
  const draft = useSignal(EMPTY);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const wanted = draft.value.title.trim();
  const write = useForm({
    check: () => nameFaults(wanted),
    async send() {
      await applyOrPreview({
        ...createGroup({ ...draft.value, title: wanted }, [...chosen.value]),
        after: () => {
          draft.value = EMPTY;
          chosen.value = new Set();
        },
      });
    },
  });
  return (
    <section class="panel" aria-labelledby="new-group">
      <header>
        <h2 id="new-group">{t("New group")}</h2>
      </header>
      <Form write={write} failed={t("The group was not created.")} class="pad form">
        <GroupFields
          write={write}
          draft={draft.value}
          onDraft={(next) => draft.value = next}
        />
        <MemberPicker
          legend={t("Members")}
          chosen={chosen.value}
          onChosen={(next) => chosen.value = next}
        />
        <div class="row">
          <SubmitButton write={write}>{t("Create group")}</SubmitButton>
        </div>
      </Form>
    </section>
  );
}

function nameFaults(wanted: string): readonly ProblemItem[] {
  if (wanted === "") return [{ pointer: "/Name", message: t("Enter a name") }];
  return groups.value?.some((group) => group.Name === wanted.toLowerCase())
    ? [{ pointer: "/Name", message: t("A group with this name already exists") }]
    : [];
}

function NoGroups(): VNode {
  return (
    <div class="empty">
      <Icon name="gate" />
      <h2>{t("No groups yet")}</h2>
      <p class="s soft">
        {t(
          "Members of a group reach each other. Without groups, devices on the LAN are isolated from each other.",
        )}
      </p>
    </div>
  );
}
