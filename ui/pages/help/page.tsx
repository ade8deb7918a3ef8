import { h, type VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso/router";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { locale, t } from "../../text/language.ts";
import { lookForUpdate, RETRY_DELAY_MS } from "../../parts/load/lazy.tsx";
import { loadManual, loadManualPage, type ManualEntry, type ManualNode } from "./manual.ts";
import { helpFor } from "./sections.ts";
import "../../styles/pages/help.css";

/** The manual: its pages, one of them, or the section that another page of the interface asks for. */
export default function HelpPage({ title }: PageProps): VNode {
  const id = useRoute().params["id"] ?? "";
  const { query, route } = useLocation();
  const about = query["page"];
  const [entries, isLate] = useFetched(loadManual, []);
  useEffect(() => {
    if (about !== undefined) route(helpFor(about), true);
  }, [about]);
  const entry = entries?.find((one) => one.id === id);
  const parent = { href: "/admin/help", title, here: entry?.title ?? id };
  return (
    <>
      <PageHead
        title={title}
        {...(entry === undefined ? {} : { heading: entry.title, parent })}
        {...(locale.startsWith("en") ? {} : { note: t("The manual is in English.") })}
      />
      {isLate
        ? <Late />
        : entries === null || about !== undefined
        ? <Loading what={t("the manual")} />
        : entry !== undefined
        ? <Manual key={entry.id} entry={entry} />
        : <Contents entries={entries} unknown={id} />}
    </>
  );
}

/** What a function loads, anew when `when` changes, and whether it is requested again until it comes. */
function useFetched<T>(
  load: () => Promise<T>,
  when: readonly unknown[],
): readonly [T | null, boolean] {
  const [state, setState] = useState<readonly [T | null, boolean]>([null, false]);
  useEffect(() => {
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = (): void => {
      load().then(
        (value) => !gone && setState([value, false]),
        () => {
          if (gone) return;
          setState([null, true]);
          void lookForUpdate();
          timer = setTimeout(ask, RETRY_DELAY_MS);
        },
      );
    };
    ask();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [...when]);
  return state;
}

/** The manual did not come yet; over the page a banner says when it is gone with an update. */
function Late(): VNode {
  return (
    <Fault warning title={t("The manual could not be loaded.")}>
      {t("Trying again every 3 seconds.")}
    </Fault>
  );
}

/** The pages of the manual with their sections. */
function Contents(
  { entries, unknown }: { entries: readonly ManualEntry[]; unknown: string },
): VNode {
  return (
    <>
      {unknown !== "" && <p class="soft">{t("The manual has no such page.")}</p>}
      <ul class="manual-contents" lang="en">
        {entries.map(({ id, title, sections }) => (
          <li key={id} class="panel pad">
            <a class="link" href={`/admin/help/${id}`}>{title}</a>
            <ul>
              {sections.map((section) => (
                <li key={section.id}>
                  <a href={`/admin/help/${id}#${section.id}`}>{section.title}</a>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </>
  );
}

function Manual({ entry }: { entry: ManualEntry }): VNode {
  const [content, isLate] = useFetched(() => loadManualPage(entry), [entry]);
  const { url } = useLocation();
  useEffect(() => {
    if (content === null) return;
    const section = decodeURIComponent(location.hash.slice(1));
    if (section !== "") document.getElementById(section)?.scrollIntoView();
  }, [content, url]);
  if (isLate) return <Late />;
  if (content === null) return <Loading what={t("the manual")} />;
  return (
    <div class="cols main-side">
      <article class="panel pad manual" lang="en">{content.map(drawn)}</article>
      <nav class="panel pad manual-sections" aria-label={t("Sections")} lang="en">
        <ul>
          {entry.sections.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}

function drawn(node: ManualNode): VNode | string {
  if (typeof node === "string") return node;
  const { tag, id, to } = node;
  const attributes = {
    ...(id === undefined ? {} : { id }),
    ...(to === undefined ? {} : { href: to }),
    ...(to?.startsWith("https:") ? { target: "_blank", rel: "noreferrer" } : {}),
  };
  const inside = node.in.map(drawn);
  // What is wider than the page scrolls by itself, also by keyboard.
  if (tag === "table") return <div class="wide" tabIndex={0}>{h(tag, attributes, inside)}</div>;
  return h(tag, tag === "pre" ? { ...attributes, tabIndex: 0 } : attributes, inside);
}
