import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { type Action, openPreview } from "../../../actions/action.ts";
import { put } from "../../../api/client.ts";
import { Label } from "../../../parts/show/chips.tsx";
import { Fault } from "../../../parts/form/fault.tsx";
import { Icon } from "../../../parts/show/icon.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { Menu } from "../../../parts/overlay/menu.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { Switch } from "../../../parts/form/switch.tsx";
import { failureText } from "../../../api/problem.ts";
import { changeEvents } from "../../../state/store.ts";
import { ago } from "../../../text/time.ts";
import { say } from "../../../state/toast.ts";
import { numberText } from "../../../text/format.ts";
import { PageHead, type PageProps } from "../../../parts/show/page_head.tsx";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { usePulse } from "../../../parts/load/use_pulse.ts";
import { BlockSettingsPanel } from "./block_settings.tsx";
import { ListDialog } from "./list_dialog.tsx";
import { BLOCKLISTS, listName, setList } from "./actions.ts";
import type { BlockList, BlockSettings, ListStatus } from "../wire.ts";
import { t, tn } from "../../../text/language.ts";
import "../../../styles/pages/dns.css";

/** Milliseconds between two loads of the status of lists. */
const POLL_INTERVAL_MS = 5000;

/** The block lists: what each blocks, how it stands, and to add, switch and refresh them. */
export default function BlockListsPage({ title }: PageProps): VNode {
  const lists = useLoaded<BlockSettings>({ path: "/plugins/dns/block/config" }, [
    changeEvents.value,
  ]);
  const standing = useLoaded<{ readonly items: readonly ListStatus[] }>(
    { path: "/plugins/dns/block/lists" },
    [changeEvents.value, usePulse(POLL_INTERVAL_MS)],
  );
  const editing = useSignal<BlockList | "new" | null>(null);
  const all = lists.body?.BlockLists ?? null;
  const blocked = standing.body?.items.reduce((sum, { domains: names }) => sum + names, 0);
  return (
    <>
      <PageHead
        title={title}
        note={blocked
          ? blocked === 1
            ? t("{blocked} domain on lists", { blocked: numberText(blocked) })
            : t("{blocked} domains on lists", { blocked: numberText(blocked) })
          : t("Blocked domains by category")}
      >
        <span class="row">
          <button
            class="btn"
            type="button"
            disabled={!all?.length}
            onClick={() => void refresh(null, standing.reload)}
          >
            {t("Update all")}
          </button>
          <button class="btn primary" type="button" onClick={() => editing.value = "new"}>
            <Icon name="plus" small /> {t("Add list")}
          </button>
        </span>
      </PageHead>
      {standing.problem !== null && (
        <Fault warning title={t("List status unavailable.")}>{standing.problem.message}</Fault>
      )}
      <div class="cols main-side">
        <section class="panel" aria-label={t("All block lists")}>
          {all === null
            ? (lists.problem === null
              ? <Loading what={t("block lists")} rows={3} />
              : <Fault title={t("The lists could not be loaded.")}>{lists.problem.message}</Fault>)
            : all.length === 0
            ? <NoLists onAdd={() => editing.value = "new"} />
            : (
              <ul class="rows">
                {all.map((list) => (
                  <Row
                    key={list.URI}
                    list={list}
                    standing={standing.body?.items.find(({ uri }) => uri === list.URI) ?? null}
                    onEdit={() => editing.value = list}
                    onRefresh={() => void refresh(list.URI, standing.reload)}
                  />
                ))}
              </ul>
            )}
        </section>
        {lists.body !== null && <BlockSettingsPanel now={lists.body} />}
      </div>
      {editing.value !== null && (
        <ListDialog
          list={editing.value === "new" ? null : editing.value}
          used={all?.map(({ URI }) => URI) ?? []}
          onClose={() => editing.value = null}
        />
      )}
    </>
  );
}

function NoLists({ onAdd }: { onAdd: () => void }): VNode {
  return (
    <div class="empty">
      <h2>{t("No block lists")}</h2>
      <p class="soft">
        {t(
          "Block lists hold domains of advertising, tracking or fraud. They apply to all devices or to those with a tag.",
        )}
      </p>
      <button class="btn" type="button" onClick={onAdd}>{t("Add list")}</button>
    </div>
  );
}

async function refresh(uri: string | null, after: () => void): Promise<void> {
  try {
    const query = uri === null ? "" : `?uri=${encodeURIComponent(uri)}`;
    await put(`/plugins/dns/block/refresh${query}`);
    say({
      text: uri === null
        ? t("Updating all lists.")
        : t("Updating {listName}.", { listName: listName(uri) }),
    });
    after();
  } catch (error) {
    say({ text: failureText(error, (text) => t("The lists were not updated. {text}", { text })) });
  }
}

function Row(
  { list, standing, onEdit, onRefresh }: {
    list: BlockList;
    standing: ListStatus | null;
    onEdit: () => void;
    onRefresh: () => void;
  },
): VNode {
  const name = listName(list.URI);
  return (
    <li>
      <div class="grow">
        <b>
          <Name>{name}</Name>
        </b>{" "}
        {list.Category !== "" && <Label>{list.Category}</Label>}{" "}
        {list.Tags.map((tag) => <Label key={tag}>{tag}</Label>)}
        <p>
          <Name>{list.URI}</Name>
        </p>
        <p>{standingText(list, standing)}</p>
        {standing !== null && standing.skipped > 0 && <p class="quiet">{skippedText(standing)}</p>}
        {standing !== null && standing.error !== "" && (
          <p class="danger-t error-text">
            <Icon name="alert" small /> <Name>{standing.error}</Name>
          </p>
        )}
      </div>
      <Switch
        label={t("{name} is used", { name })}
        on={list.Enabled}
        onFlip={() => openPreview(setList({ ...list, Enabled: !list.Enabled }))}
      />
      <Menu
        label={t("More for {name}", { name })}
        class="icon-btn small"
        items={[
          { text: t("Edit"), icon: "gate", onChoose: onEdit },
          { text: t("Update now"), icon: "changes", onChoose: onRefresh },
          {
            text: t("Delete"),
            icon: "x",
            danger: true,
            apart: true,
            onChoose: () => openPreview(dropList(list)),
          },
        ]}
      >
        <Icon name="dots" />
      </Menu>
    </li>
  );
}

/** Status of a list, in one line. */
function standingText(list: BlockList, standing: ListStatus | null): string {
  if (!list.Enabled) return t("Disabled");
  if (standing === null) return t("Not loaded yet");
  const when = standing.fetched === 0 ? t("never") : ago(standing.fetched);
  const names = `${tn("{count} domain", "{count} domains", standing.domains)}${
    list.DontBlock ? t(", log only") : ""
  }`;
  switch (standing.state) {
    case "fetching":
      return standing.domains > 0 ? t("{names}, updating", { names }) : t("Downloading");
    case "building":
      return t("Loading");
    case "waiting":
      return standing.domains > 0
        ? t("{names}, updated {when}", { names, when })
        : t("Waiting for update");
    case "failed":
      return standing.domains > 0
        ? t("{names}, last updated {when}", { names, when })
        : t("Not active");
    default:
      return t("{names}, updated {when}", { names, when });
  }
}

/** What of a list is not used, and why, the most frequent reason first. */
function skippedText({ skipped, lines, reasons }: ListStatus): string {
  const why = Object.entries(reasons).filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${numberText(count)} ${REASONS[reason] ?? reason}`);
  const end = why.length === 0 ? "" : ` (${why.join(", ")})`;
  const text = lines > 0
    ? tn(
      "{skipped} of {count} line not understood",
      "{skipped} of {count} lines not understood",
      lines,
      {
        skipped: numberText(skipped),
      },
    )
    : tn("{count} line not understood", "{count} lines not understood", skipped);
  return `${text}${end}`;
}

const REASONS: Readonly<Record<string, string>> = {
  cosmetic: t("for parts of pages"),
  option: t("with options for browsers"),
  path: "for parts of sites",
  wildcard: t("with wildcards"),
  pattern: t("other rules"),
  name: "not a domain",
};

function dropList(list: BlockList): Action {
  return {
    title: t("Preview: delete block list"),
    subject: listName(list.URI),
    sentence: t("will be deleted. Domains that only this list blocks are allowed again."),
    button: t("Delete list"),
    danger: true,
    done: t("was deleted."),
    request: () => ({ method: "DELETE", path: BLOCKLISTS, body: { URI: list.URI } }),
  };
}
