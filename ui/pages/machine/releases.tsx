import type { VNode } from "preact";
import { applyOrPreview } from "../../actions/action.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { textOf } from "../../api/problem.ts";
import { changeEvents } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { useLoaded } from "../../parts/load/use_loaded.ts";

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
        title: "Preview: updates",
        subject: "This router",
        sentence: on ? "no longer notifies about updates." : "notifies about updates.",
        button: "Apply",
        done: on ? "no longer notifies about updates." : "notifies about updates.",
        request: () => ({ method: on ? "DELETE" : "PUT", path: "/checkupdates" }),
        after: checks.reload,
      });
    } catch (error) {
      say({ text: `The setting was not saved. ${textOf(error)}` });
    }
  }

  return (
    <section class="panel" aria-labelledby="releases">
      <header>
        <h2 id="releases">Updates</h2>
      </header>
      {release.problem !== null && (
        <Fault title="The version could not be loaded.">{release.problem.message}</Fault>
      )}
      <dl class="kv pad">
        <dt>Version</dt>
        <dd>{current ?? "…"}</dd>
        {release.body?.CustomChannel && (
          <>
            <dt>Channel</dt>
            <dd>{release.body.CustomChannel}</dd>
          </>
        )}
        {release.body?.CustomVersion && (
          <>
            <dt>Requested</dt>
            <dd>{release.body.CustomVersion}</dd>
          </>
        )}
      </dl>
      {on && newest !== null && current !== null && newest !== current && (
        <Fault warning title={`${newest} is available.`}>
          See docs/diagnostics.md for how to update.
        </Fault>
      )}
      <ul class="setting-list">
        <li>
          <div>
            <b>Notify about updates</b>
            <p>
              Only releases that this installation knows of; nothing is downloaded automatically
            </p>
          </div>
          <Switch
            label="Notify about updates"
            on={on}
            disabled={checks.body === null}
            onFlip={() => void flip()}
          />
        </li>
      </ul>
    </section>
  );
}
