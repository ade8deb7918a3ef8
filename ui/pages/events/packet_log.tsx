import type { VNode } from "preact";
import { type Action, openPreview } from "../../actions/action.ts";
import { call } from "../../api/client.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { changeEvents } from "../../state/store.ts";
import type { PacketLogSettings } from "./wire.ts";
import { t } from "../../text/language.ts";

const PATH = "/firewall/packet_log";

/** What becomes of the log with each choice. */
const SENTENCES: Readonly<Record<PacketLogSettings["Log"], string>> = {
  off: t("is off. Packets are no events."),
  drops: t("reports packets that a rule blocks, at most a few of each rule and source."),
  all: t("reports blocked packets, and the first packets of allowed connections."),
};

function setLog(Log: PacketLogSettings["Log"], after: () => void): Action {
  return {
    title: t("Preview: packet log"),
    subject: t("Packet log"),
    sentence: SENTENCES[Log],
    button: Log === "off" ? t("Turn off") : t("Change"),
    done: Log === "off" ? t("is off.") : t("is set."),
    reload: async () => (await call<PacketLogSettings>({ path: PATH })).etag,
    request: () => ({ method: "PUT", path: PATH, body: { Log } }),
    after,
  };
}

/** Which packets are reported as events. */
export function PacketLog(): VNode {
  const loaded = useLoaded<PacketLogSettings>({ path: PATH }, [changeEvents.value]);
  const log = loaded.body?.Log ?? null;
  const set = (next: PacketLogSettings["Log"]) => openPreview(setLog(next, loaded.reload));
  return (
    <section class="panel" aria-labelledby="packet-log">
      <header>
        <h2 id="packet-log">{t("Packet log")}</h2>
      </header>
      {loaded.problem !== null && (
        <Fault title={t("The packet log’s settings could not be loaded.")}>
          {loaded.problem.message}
        </Fault>
      )}
      {log !== null && (
        <ul class="setting-list">
          <li>
            <div>
              <b>{t("Blocked packets")}</b>
              <p>{t("Reported with the rule that blocks them")}</p>
            </div>
            <Switch
              label={t("Log blocked packets")}
              on={log !== "off"}
              onFlip={() => set(log === "off" ? "drops" : "off")}
            />
          </li>
          <li>
            <div>
              <b>{t("Allowed connections")}</b>
              <p>{t("The first packets of each, with the rule that allows them")}</p>
            </div>
            <Switch
              label={t("Log allowed connections")}
              on={log === "all"}
              onFlip={() => set(log === "all" ? "drops" : "all")}
            />
          </li>
        </ul>
      )}
    </section>
  );
}
