import type { VNode } from "preact";
import { Fault } from "../../parts/form/fault.tsx";
import { loadOnPress } from "../../parts/load/lazy.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { devices, loadProblem } from "../../state/store.ts";
import { say } from "../../state/toast.ts";
import { failureText } from "../../api/problem.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { DeviceList } from "./list.tsx";
import { t } from "../../text/language.ts";

/** All devices, those pending approval on top. */
export default function DevicesPage({ title }: PageProps): VNode {
  const all = devices.value;
  const some = all !== null && Object.keys(all).length > 0;
  return (
    <>
      <PageHead title={title}>
        <div class="row wrap">
          {some && (
            <button class="btn" type="button" onClick={() => void exportAll()}>
              {t("Export")}
            </button>
          )}
          <a class="btn" href="/admin/devices/import">{t("Import")}</a>
          <a class="btn primary" href="/admin/devices/add">
            <Icon name="plus" small />
            {t("Add device")}
          </a>
        </div>
      </PageHead>
      {some
        ? <DeviceList all={all} />
        : all !== null
        ? <NoDevices />
        : loadProblem.value !== null
        ? <Fault title={t("The devices could not be loaded.")}>{loadProblem.value}</Fault>
        : (
          <div class="panel bleed">
            <Loading what={t("devices")} />
          </div>
        )}
    </>
  );
}

async function exportAll(): Promise<void> {
  try {
    const { exportDevices } = await loadOnPress(() => import("./import/export.ts"));
    exportDevices(devices.value ?? {});
  } catch (error) {
    say({ text: failureText(error, (text) => t("Not exported. {text}", { text })) });
  }
}

function NoDevices(): VNode {
  return (
    <div class="panel empty">
      <Icon name="devices" />
      <h2>{t("No devices yet")}</h2>
      <p class="s soft">
        {t(
          "Devices appear here when they request an address and wait for your approval. Until then they have no access.",
        )}
      </p>
    </div>
  );
}
