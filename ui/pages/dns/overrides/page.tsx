import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Fault } from "../../../parts/form/fault.tsx";
import { Icon } from "../../../parts/show/icon.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { FilterBar } from "../../../parts/table/filter_bar.tsx";
import { changeEvents } from "../../../state/store.ts";
import { PageHead, type PageProps } from "../../../parts/show/page_head.tsx";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { usePulse } from "../../../parts/load/use_pulse.ts";
import { NewOverride } from "./new_rule.tsx";
import { type ListWork, OverrideListDialog } from "./list_dialog.tsx";
import { all, isBare, OverridePanel } from "./list_panel.tsx";
import { RuleDialog, type RuleEdit } from "./rule_dialog.tsx";
import type { BlockSettings } from "../wire.ts";
import { t } from "../../../text/language.ts";
import "../../../styles/pages/dns.css";

/** Milliseconds between two looks at what has ended. */
const LOOK_EVERY = 30_000;

/** Custom rules for single domains, for one device or for all. */
export default function OverridesPage({ title }: PageProps): VNode {
  const loaded = useLoaded<BlockSettings>({ path: "/plugins/dns/block/config" }, [
    changeEvents.value,
    usePulse(LOOK_EVERY),
  ]);
  const text = useSignal("");
  const work = useSignal<ListWork | null>(null);
  const edit = useSignal<RuleEdit | null>(null);
  const lists = loaded.body?.OverrideLists;
  const names = lists?.map(({ Name }) => Name) ?? [];
  const nothing = lists?.every(isBare) ?? true;
  const total = lists?.reduce((sum, list) => sum + all(list).length, 0) ?? 0;
  return (
    <>
      <PageHead
        title={title}
        note={t("Domains that you block, allow or rewrite. They take precedence over block lists")}
      >
        <button
          class="btn"
          type="button"
          onClick={() => work.value = { list: null, what: "add" }}
        >
          <Icon name="plus" small /> {t("Add rule list")}
        </button>
      </PageHead>
      <div class="cols main-side">
        <div class="stack">
          {total > 8 && (
            <FilterBar
              label={t("Filter rules")}
              hint={t("Domain or device")}
              text={text.value}
              onText={(next) => text.value = next}
            />
          )}
          {lists === undefined
            ? loaded.problem === null
              ? <Loading what={t("custom rules")} rows={3} />
              : (
                <Fault title={t("The custom rules could not be loaded.")}>
                  {loaded.problem.message}
                </Fault>
              )
            : nothing
            ? (
              <section class="panel" aria-label={t("Custom rules")}>
                <div class="empty">
                  <h2>{t("No custom rules")}</h2>
                  <p class="soft">
                    {t(
                      "Block a domain that no list has, or allow one that a list blocks by mistake. You can also do this from the query log.",
                    )}
                  </p>
                </div>
              </section>
            )
            : lists.map((list) => (
              <OverridePanel
                key={list.Name}
                list={list}
                text={text.value}
                after={loaded.reload}
                onWork={(next) => work.value = next}
                onEdit={(next) => edit.value = next}
              />
            ))}
        </div>
        <NewOverride lists={names} after={loaded.reload} />
      </div>
      {edit.value !== null && (
        <RuleDialog
          edit={edit.value}
          onClose={() => edit.value = null}
          after={loaded.reload}
        />
      )}
      {work.value !== null && (
        <OverrideListDialog
          work={work.value}
          known={names}
          onClose={() => work.value = null}
          after={loaded.reload}
        />
      )}
    </>
  );
}
