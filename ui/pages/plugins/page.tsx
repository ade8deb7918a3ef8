import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../actions/action.ts";
import { call } from "../../api/client.ts";
import { failureText } from "../../api/problem.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Menu } from "../../parts/overlay/menu.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { changeEvents, pluginEvents } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { sizeText } from "../../text/format.ts";
import { age, isNow } from "../../text/time.ts";
import { removePlugin, switchPlugin } from "./actions.ts";
import { AddDialog } from "./add_dialog.tsx";
import { RightList } from "./rights.tsx";
import type { Plugin, PluginStatus } from "./wire.ts";
import { t, tc } from "../../text/language.ts";
import "../../styles/pages/plugins.css";

/** Plugins: what is installed, what each may do and how it runs; add, update and remove. */
export default function PluginsPage({ title }: PageProps): VNode {
  const due = [changeEvents.value, pluginEvents.value];
  const plugins = useLoaded<readonly Plugin[]>({ path: "/plugins_api" }, due);
  const status = useLoaded<{ readonly items: readonly PluginStatus[] }>(
    { path: "/plugin/status" },
    due,
  );
  /** Git address of the plugin to update; "" to add one. */
  const adding = useSignal<string | null>(null);
  const reload = (): void => {
    plugins.reload();
    status.reload();
  };
  const states = new Map(status.body?.items.map((one) => [one.name, one]));
  const all = plugins.body ?? null;
  const own = all?.filter((one) => states.has(one.Name)) ?? [];
  const builtIn = all?.filter((one) => !states.has(one.Name)) ?? [];
  const isLoading = all === null || status.body === null;
  const problem = plugins.problem ?? status.problem;
  return (
    <>
      <PageHead title={title} note={t("Programs of others, each with the rights that you approve")}>
        <button class="btn primary" type="button" onClick={() => adding.value = ""}>
          <Icon name="plus" small /> {t("Add plugin")}
        </button>
      </PageHead>
      {problem !== null && (
        <Fault title={t("The plugins could not be loaded.")}>{problem.message}</Fault>
      )}
      <div class="cols main-side">
        <section class="panel" aria-label={t("Installed plugins")}>
          {isLoading
            ? problem === null && <Loading what={t("plugins")} rows={3} />
            : own.length === 0
            ? <NoPlugins onAdd={() => adding.value = ""} />
            : (
              <ul class="rows">
                {own.map((plugin) => (
                  <Row
                    key={plugin.Name}
                    plugin={plugin}
                    status={states.get(plugin.Name)!}
                    onUpdate={() => adding.value = plugin.GitURL}
                    onDone={reload}
                  />
                ))}
              </ul>
            )}
        </section>
        <section class="panel" aria-labelledby="built-in">
          <header>
            <h2 id="built-in">{t("Part of the router")}</h2>
          </header>
          <ul class="rows">
            {builtIn.map(({ Name: name, URI }) => (
              <li key={name}>
                <div class="grow">
                  <b>{name}</b>
                  <p>{`/plugins/${URI}/`}</p>
                </div>
              </li>
            ))}
          </ul>
        </section>
      </div>
      {adding.value !== null && (
        <AddDialog
          gitUrl={adding.value}
          onClose={() => adding.value = null}
          onDone={reload}
        />
      )}
    </>
  );
}

function NoPlugins({ onAdd }: { onAdd: () => void }): VNode {
  return (
    <div class="empty">
      <h2>{t("No plugins")}</h2>
      <p class="soft">
        {t(
          "A plugin adds something that the router does not do by itself. You see what it asks for before it runs, and it can do nothing else.",
        )}
      </p>
      <button class="btn" type="button" onClick={onAdd}>{t("Add plugin")}</button>
    </div>
  );
}

function Row(
  { plugin, status, onUpdate, onDone }: {
    plugin: Plugin;
    status: PluginStatus;
    onUpdate: () => void;
    onDone: () => void;
  },
): VNode {
  const { Name: name, URI, Enabled, HasUI } = plugin;
  const { rights, version, detail } = status;
  const hasPage = Enabled && HasUI && URI !== "";
  return (
    <li class="plugin-row">
      <div class="grow">
        <b>
          <Name>{name}</Name>
        </b>{" "}
        {version !== "" && <span class="quiet s">{version}</span>}
        <p class="plugin-line">
          <span class={MARKS[status.state]} aria-hidden="true" /> {stateText(status)}
        </p>
        {detail !== "" && (
          <p class="plugin-line danger-t">
            <Icon name="alert" small /> <Name>{detail}</Name>
          </p>
        )}
        {rights !== null
          ? <RightList rights={rights} label={t("What {name} may do", { name })} />
          : (
            <p class="s quiet">
              {t("Run elsewhere; reached at {unixPath}", {
                unixPath: plugin.UnixPath || t("no socket"),
              })}
            </p>
          )}
        <span class="row wrap">
          {hasPage && (
            <a class="btn small" href={`/admin/plugins/${encodeURIComponent(name)}`}>
              {tc("verb", "Open")}
              <span class="vh">: {name}</span>
            </a>
          )}
          {plugin.codeHash !== "" && (
            <a class="btn small" href={`/admin/machine/logs?process=plugin:${name}`}>
              {t("Logs")}
              <span class="vh">: {name}</span>
            </a>
          )}
        </span>
      </div>
      <Switch
        label={t("{name} is on", { name })}
        on={Enabled}
        onFlip={() => openPreview(switchPlugin(plugin, !Enabled, onDone))}
      />
      <Menu
        label={t("More for {name}", { name })}
        class="icon-btn small"
        items={[
          ...(plugin.codeHash === "" ? [] : [
            { text: t("Update"), icon: "up" as const, onChoose: onUpdate },
            {
              text: t("Restart"),
              icon: "changes" as const,
              onChoose: () => void restart(name, onDone),
            },
          ]),
          {
            text: t("Remove"),
            icon: "x",
            danger: true,
            apart: true,
            onChoose: () => openPreview(removePlugin(plugin, onDone)),
          },
        ]}
      >
        <Icon name="dots" />
      </Menu>
    </li>
  );
}

const MARKS: Readonly<Record<PluginStatus["state"], string>> = {
  off: "dot off",
  running: "dot",
  waiting: "dot warning",
  down: "dot danger",
};

/** How a plugin runs, in one line. */
function stateText({ state, since, memory, restarts }: PluginStatus): string {
  const again = restarts > 0
    ? restarts === 1
      ? t(", restarted {restarts} time", { restarts })
      : t(", restarted {restarts} times", { restarts })
    : "";
  switch (state) {
    case "off":
      return t("Off");
    case "waiting":
      return t("Ended by itself, starts again{again}", { again });
    case "down":
      return t("Not responding");
    default: {
      const size = memory > 0 ? t(", {memory} of memory", { memory: sizeText(memory) }) : "";
      const now = Date.now();
      const time = isNow(since, now) ? t("a moment") : age(since, now);
      return (since > 0 ? t("Running for {time}", { time }) : t("Running")) + size + again;
    }
  }
}

async function restart(name: string, after: () => void): Promise<void> {
  try {
    await call({ method: "PUT", path: `/plugins_api/${encodeURIComponent(name)}/restart` });
    say({ subject: name, text: t("was restarted.") });
    after();
  } catch (error) {
    say({
      text: failureText(error, (text) => t("{name} was not restarted. {text}", { name, text })),
    });
  }
}
