import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../actions/action.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import type { Loaded } from "../../parts/load/use_loaded.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { dropSite, saveSite } from "./actions.ts";
import { SiteDrawer } from "./site_drawer.tsx";
import { Transfer } from "./transfer.tsx";
import { handshakeText, siteText } from "./text.ts";
import type { Site, SiteOutcome } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Other routers whose networks are joined with this one. */
export function SiteList(
  { sites, onDone }: { sites: Loaded<readonly Site[]>; onDone: () => void },
): VNode {
  const editing = useSignal<Site | "new" | null>(null);
  const made = useSignal<SiteOutcome | null>(null);
  const { body, problem } = sites;
  if (body === null) {
    return problem === null
      ? <Loading what={t("sites")} rows={2} />
      : <Fault title={t("The sites could not be loaded.")}>{problem.message}</Fault>;
  }
  return (
    <section class="panel" aria-labelledby="vpn-sites">
      <header>
        <h2 id="vpn-sites">{t("Sites")}</h2>
        <button class="btn small" type="button" onClick={() => editing.value = "new"}>
          <Icon name="plus" small /> {t("Add site")}
        </button>
      </header>
      {body.length === 0
        ? (
          <div class="empty">
            <Icon name="router" />
            <p class="s soft">
              {t(
                "A site is another router, for example of a second home. Its network is joined with this one; who reaches whom is up to groups and policies.",
              )}
            </p>
          </div>
        )
        : (
          <ul class="setting-list">
            {body.map((site) => (
              <li key={site.Name}>
                <div>
                  <b>
                    <Name>{site.Name}</Name>
                  </b>
                  <p>{siteText(site)}</p>
                  {site.Problem === ""
                    ? (
                      <p class="quiet">
                        {site.Online
                          ? t("Connected, last handshake")
                          : t("Not connected, last handshake")} {handshakeText(site)}
                      </p>
                    )
                    : <p class="warning-t">{site.Problem}</p>}
                </div>
                <span class="row">
                  <button class="btn small" type="button" onClick={() => editing.value = site}>
                    {t("Edit")}
                    <span class="vh">{site.Name}</span>
                  </button>
                  <button
                    class="icon-btn small"
                    type="button"
                    aria-label={t("Remove {name}", { name: site.Name })}
                    onClick={() => openPreview(dropSite(site, onDone))}
                  >
                    <Icon name="x" small />
                  </button>
                  <Switch
                    label={t("Tunnel to {name}", { name: site.Name })}
                    on={site.Enabled}
                    onFlip={() =>
                      openPreview(
                        saveSite({ Name: site.Name, Enabled: !site.Enabled }, () => onDone()),
                      )}
                  />
                </span>
              </li>
            ))}
          </ul>
        )}
      {editing.value !== null && (
        <SiteDrawer
          site={editing.value === "new" ? null : editing.value}
          onClose={() => editing.value = null}
          onDone={(outcome) => {
            if (outcome.Config !== "") made.value = outcome;
            onDone();
          }}
        />
      )}
      {made.value !== null && (
        <Dialog
          kind="drawer"
          title={<Name>{made.value.Site.Name}</Name>}
          note={t("The file for the other router")}
          onClose={() => made.value = null}
        >
          <div class="body form">
            <p class="s soft">
              {t(
                "On the other router: VPN, Sites, Add site, From a file. A WireGuard server of another make takes it as well.",
              )}
            </p>
            <Transfer config={made.value.Config} name={made.value.Site.Name} kind="laptop" />
          </div>
        </Dialog>
      )}
    </section>
  );
}
