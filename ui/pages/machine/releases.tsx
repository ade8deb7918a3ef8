import type { VNode } from "preact";
import { applyOrPreview } from "../../actions/apply.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { failureText } from "../../api/problem.ts";
import { changeEvents } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { t } from "../../text/language.ts";

interface Release {
  readonly CustomChannel: string;
  readonly CustomVersion: string;
  readonly Current: string;
}

/** Which version runs, and whether a newer one is known. */
export function ReleasesPanel(): VNode {
  const release = useLoaded<Release>({ path: "/release" }, [changeEvents.value]);
  const known = useLoaded<readonly string[]>({ path: "/releasesAvailable" }, []);
  const checks = useLoaded<boolean>({ path: "/checkupdates" }, [changeEvents.value]);
  const current = release.body?.Current ?? null;
  const newest = known.body?.at(-1) ?? null;
  const on = checks.body === true;

  async function flip(): Promise<void> {
    try {
      await applyOrPreview({
        title: t("Preview: updates"),
        subject: t("This router"),
        sentence: on ? t("no longer notifies about updates.") : t("notifies about updates."),
        button: t("Apply"),
        done: on ? t("no longer notifies about updates.") : t("notifies about updates."),
        request: () => ({ method: on ? "DELETE" : "PUT", path: "/checkupdates" }),
        after: checks.reload,
      });
    } catch (error) {
      say({ text: failureText(error, (text) => t("The setting was not saved. {text}", { text })) });
    }
  }

  return (
    <section class="panel" aria-labelledby="releases">
      <header>
        <h2 id="releases">{t("Updates")}</h2>
      </header>
      {release.problem !== null && (
        <Fault title={t("The version could not be loaded.")}>{release.problem.message}</Fault>
      )}
      <dl class="kv pad">
        <dt>{t("Version")}</dt>
        <dd>{current ?? "…"}</dd>
        {release.body?.CustomChannel && (
          <>
            <dt>{t("Channel")}</dt>
            <dd>{release.body.CustomChannel}</dd>
          </>
        )}
        {release.body?.CustomVersion && (
          <>
            <dt>{t("Requested")}</dt>
            <dd>{release.body.CustomVersion}</dd>
          </>
        )}
      </dl>
      {on && newest !== null && current !== null && newest !== current && (
        <Fault warning title={t("{newest} is available.", { newest })}>
          {t("See docs/diagnostics.md for how to update.")}
        </Fault>
      )}
      <ul class="setting-list">
        <li>
          <div>
            <b>{t("Notify about updates")}</b>
            <p>
              {t(
                "Only releases that this installation knows of; nothing is downloaded automatically",
              )}
            </p>
          </div>
          <Switch
            label={t("Notify about updates")}
            on={on}
            disabled={checks.body === null}
            onFlip={() => void flip()}
          />
        </li>
      </ul>
    </section>
  );
}
