import type { VNode } from "preact";
import { openPreview } from "../../../actions/action.ts";
import { Label } from "../../../parts/show/chips.tsx";
import { Icon } from "../../../parts/show/icon.tsx";
import { Menu } from "../../../parts/overlay/menu.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { Switch } from "../../../parts/form/switch.tsx";
import { hasText } from "../../../parts/table/filter_bar.tsx";
import { audienceOf, audienceText } from "./audience.ts";
import { momentText } from "../../../text/time.ts";
import type { RuleEdit } from "./rule_dialog.tsx";
import { scheduleText } from "../../../text/schedule.ts";
import { readable } from "../log/idn.ts";
import { dropOverride } from "./actions.ts";
import { DEFAULT_LIST, dropOverrideList, listText, switchOverrideList } from "./list_actions.ts";
import type { ListWork } from "./list_dialog.tsx";
import { MoreRows } from "../more_rows.tsx";
import type { DomainOverride, OverrideList } from "../wire.ts";
import { bare } from "../text.ts";
import { t } from "../../../text/language.ts";
import { rich } from "../../../text/translate.ts";
import { orList } from "../../../text/format.ts";

/** Overrides of one list that are drawn at once. */
const SHOWN = 200;

/** True for a list of which there is nothing to show: the one that is always there, while it is empty. */
export function isBare(list: OverrideList): boolean {
  return list.Name === DEFAULT_LIST && all(list).length === 0;
}

/** Everything that is decided in a list. */
export function all(list: OverrideList): readonly DomainOverride[] {
  return [...list.PermitDomains, ...list.BlockDomains];
}

/** What it is about, as people read it. */
function domainText({ Domain }: DomainOverride): string {
  return Domain === "." ? t("All domains") : readable(bare(Domain));
}

function whoOf(rule: DomainOverride): string {
  return audienceText(audienceOf(rule));
}

/** A list of overrides, with those of its names that are like a text. */
export function OverridePanel(
  { list, text, after, onWork, onEdit }: {
    list: OverrideList;
    text: string;
    after: () => void;
    onWork: (work: ListWork) => void;
    onEdit: (edit: RuleEdit) => void;
  },
): VNode | null {
  const found = all(list).filter((one) =>
    hasText(`${one.Domain} ${domainText(one)} ${whoOf(one)}`, text)
  );
  if (isBare(list)) return null;
  return (
    <section class="panel" aria-label={list.Name}>
      <header>
        <h2>
          <Name>{listText(list)}</Name>
        </h2>
        <span class="note">{list.Tags.map((tag) => <Label key={tag}>{tag}</Label>)}</span>
        {(list.Name !== DEFAULT_LIST || !list.Enabled) && (
          <Switch
            label={t("{list} is on", { list: listText(list) })}
            on={list.Enabled}
            onFlip={() => openPreview(switchOverrideList(list, after))}
          />
        )}
        {list.Name !== DEFAULT_LIST && <More list={list} after={after} onWork={onWork} />}
      </header>
      {all(list).length === 0
        ? <p class="pad s quiet">{t("No rules yet.")}</p>
        : found.length === 0
        ? <p class="pad s quiet">{t("No matches for “{text}”.", { text })}</p>
        : (
          <ul class="rows">
            {found.slice(0, SHOWN).map((one) => (
              <Row
                key={`${one.Type} ${one.Domain} ${one.ClientIP} ${one.Groups?.join("\n") ?? ""}`}
                one={one}
                list={list}
                after={after}
                onEdit={() => onEdit({ rule: one, list: list.Name })}
              />
            ))}
          </ul>
        )}
      <MoreRows number={found.length - SHOWN} />
    </section>
  );
}

/** What may be done to a list that people named. */
function More(
  { list, after, onWork }: {
    list: OverrideList;
    after: () => void;
    onWork: (work: ListWork) => void;
  },
): VNode {
  return (
    <Menu
      label={t("More for {list}", { list: listText(list) })}
      class="icon-btn small"
      items={[
        { text: t("Rename"), icon: "label", onChoose: () => onWork({ list, what: "rename" }) },
        { text: t("Applies to"), icon: "devices", onChoose: () => onWork({ list, what: "tags" }) },
        {
          text: t("Delete"),
          icon: "x",
          danger: true,
          apart: true,
          onChoose: () => openPreview(dropOverrideList(list, after)),
        },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}

function Row(
  { one, list, after, onEdit }: {
    one: DomainOverride;
    list: OverrideList;
    after: () => void;
    onEdit: () => void;
  },
): VNode {
  const instead = one.ResultIP || readable(bare(one.ResultCNAME));
  const block = one.Type.toLowerCase() === "block";
  return (
    <li>
      <div class="grow">
        <b>
          <Name>{domainText(one)}</Name>
        </b>{" "}
        {instead !== ""
          ? <span class="chip warning">{t("Rewritten")}</span>
          : block
          ? <span class="chip danger">{t("Blocked")}</span>
          : <span class="chip">{t("Allowed")}</span>}
        <p>
          {rich(t("For {who}"), { who: <Name>{whoOf(one)}</Name> })}
          {one.Tags.length > 0 && t(" with the tag {tags}", { tags: orList(one.Tags) })}
          {instead !== "" && (
            <>
              {rich(t(", rewritten to {instead}"), { instead: <Name>{instead}</Name> })}
            </>
          )}
          {one.Schedule !== undefined && `, ${scheduleText(one.Schedule)}`}
          {one.Expiration > 0 &&
            t(", until {moment}", { moment: momentText(one.Expiration, Date.now()) })}
          {!list.Enabled && t(", disabled")}
        </p>
      </div>
      <button class="btn small" type="button" onClick={onEdit}>
        {t("Edit")}
        <span class="vh">: {domainText(one)}</span>
      </button>
      <button
        class="btn small"
        type="button"
        onClick={() => openPreview(dropOverride(one, list.Name, after))}
      >
        {t("Delete")}
        <span class="vh">: {domainText(one)}</span>
      </button>
    </li>
  );
}
