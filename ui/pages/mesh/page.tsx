import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { changeEvents } from "../../state/store.ts";
import "../../styles/pages/mesh.css";
import { AddLeafDrawer } from "./add_leaf_drawer.tsx";
import { JoinPanel, LeafPanel } from "./join_panel.tsx";
import { LeafList } from "./leaf_list.tsx";
import type { MeshStatus } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Milliseconds between two loads: leaf routers are met about every ten seconds. */
const LOAD_INTERVAL_MS = 10_000;

/** Leaf routers of this router, or its parent. */
export default function MeshPage({ title }: PageProps): VNode {
  const { body, problem, reload } = useLoaded<MeshStatus>({ path: "/plugins/mesh/status" }, [
    changeEvents.value,
    usePulse(LOAD_INTERVAL_MS),
  ]);
  const adding = useSignal(false);
  return (
    <>
      <PageHead title={title} note={t("Several routers, one network")}>
        {body !== null && body.Role !== "leaf" && (
          <button
            class="btn"
            type="button"
            onClick={() => adding.value = true}
          >
            <Icon name="plus" small /> {t("Add leaf router")}
          </button>
        )}
      </PageHead>
      {body === null
        ? problem === null
          ? <Loading what={t("the mesh")} rows={3} />
          : <Fault title={t("The mesh could not be loaded.")}>{problem.message}</Fault>
        : (
          <div class="stack">
            {body.Role === "leaf" ? <LeafPanel status={body} onDone={reload} /> : (
              <>
                <LeafList leaves={body.Leaves} onDone={reload} />
                {body.Role === "off" && <JoinPanel status={body} onDone={reload} />}
              </>
            )}
          </div>
        )}
      {adding.value && <AddLeafDrawer onClose={() => adding.value = false} onDone={reload} />}
    </>
  );
}
