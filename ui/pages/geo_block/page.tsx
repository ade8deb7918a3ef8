import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../actions/action.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { lazyPart } from "../../parts/load/lazy.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { changeEvents } from "../../state/store.ts";
import {
  changeSettings,
  flipCountry,
  flipNetwork,
  type GeoBlockConfig,
  type GeoBlockStatus,
} from "./actions.ts";
import { countryName, matching } from "./countries.ts";
import { NetworkSearch } from "./network_search.tsx";
import { Sources } from "./sources.tsx";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";
import "../../styles/pages/geo_block.css";

const WorldMap = lazyPart(() =>
  import("../../parts/chart/world_map.tsx").then(({ default: map }) => map)
);

/** Milliseconds between two looks at what was blocked. */
const STATUS_INTERVAL = 30_000;

/** Countries, networks and lists that are blocked, and what they blocked. */
export default function GeoBlockPage({ title }: PageProps): VNode {
  const pulse = usePulse(STATUS_INTERVAL);
  const config = useLoaded<GeoBlockConfig>({ path: "/firewall/geo_block/config" }, [
    changeEvents.value,
  ]);
  const status = useLoaded<GeoBlockStatus>({ path: "/firewall/geo_block/status" }, [
    changeEvents.value,
    pulse,
  ]);
  const now = config.body;
  const after = (): void => {
    config.reload();
    status.reload();
  };
  return (
    <>
      <PageHead
        title={title}
        note={t("No connection is opened to or from what is blocked, whatever else is allowed")}
      />
      {now === null
        ? config.problem === null
          ? <Loading what={t("countries")} rows={6} />
          : <Fault title={t("The settings could not be loaded.")}>{config.problem.message}</Fault>
        : (
          <div class="stack">
            {status.body !== null && status.body.Error !== "" && (
              <Fault warning title={t("The ranges could not be loaded.")}>
                {status.body.Error}
              </Fault>
            )}
            <Blocked config={now} after={after} />
            <Countries config={now} after={after} />
            {status.body !== null && <Sources status={status.body} />}
            <Attribution />
          </div>
        )}
    </>
  );
}

interface Part {
  readonly config: GeoBlockConfig;
  readonly after: () => void;
}

/** The switch, and what is blocked as chips that end it. */
function Blocked({ config, after }: Part): VNode {
  const { Enabled, DenyCountries, DenyASNs, Lists } = config;
  const flip = (): void =>
    openPreview(
      changeSettings(
        { ...config, Enabled: !Enabled },
        { subject: t("Blocking by country and network"), on: !Enabled },
        after,
      ),
    );
  const flipList = (uri: string, on: boolean): void =>
    openPreview(changeSettings(
      { ...config, Lists: Lists.map((one) => one.URI === uri ? { ...one, Enabled: on } : one) },
      { subject: uri, on },
      after,
    ));
  return (
    <section class="panel" aria-labelledby="blocked">
      <header>
        <h2 id="blocked">{t("Blocked")}</h2>
      </header>
      <ul class="setting-list">
        <li>
          <div>
            <b>{t("Blocking by country and network")}</b>
            <p>{Enabled ? t("In force") : t("Off: what is chosen below is not blocked")}</p>
          </div>
          <Switch label={t("Blocking by country and network")} on={Enabled} onFlip={flip} />
        </li>
        {Lists.map(({ URI, Enabled: on, Note }) => (
          <li key={URI}>
            <div>
              <b>
                <bdi>{Note || URI}</bdi>
              </b>
              <p>
                <bdi>{URI}</bdi>
              </p>
            </div>
            <Switch
              label={t("List {note}", { note: Note || URI })}
              on={on}
              onFlip={() => flipList(URI, !on)}
            />
          </li>
        ))}
      </ul>
      <div class="pad chosen-places">
        {DenyCountries.length + DenyASNs.length === 0 && (
          <span class="s quiet">{t("No country or network is chosen.")}</span>
        )}
        {DenyCountries.map((code) => (
          <Chip
            key={code}
            name={countryName(code)}
            onEnd={() => openPreview(flipCountry(code, false, after))}
          />
        ))}
        {DenyASNs.map((network) => (
          <Chip
            key={network.ASN}
            name={t("AS{asn} {name}", { asn: network.ASN, name: network.Name }).trim()}
            onEnd={() => openPreview(flipNetwork(network, false, after))}
          />
        ))}
      </div>
      <NetworkSearch onPick={(network) => openPreview(flipNetwork(network, true, after))} />
    </section>
  );
}

function Chip({ name, onEnd }: { name: string; onEnd: () => void }): VNode {
  return (
    <span class="chip">
      <bdi>{name}</bdi>
      <button
        class="icon-btn small"
        type="button"
        aria-label={t("Unblock {name}", { name })}
        onClick={onEnd}
      >
        <Icon name="x" small />
      </button>
    </span>
  );
}

/** The map, and every country by continent. */
function Countries({ config, after }: Part): VNode {
  const text = useSignal("");
  const blocked = new Set(config.DenyCountries);
  const pick = (code: string): void => openPreview(flipCountry(code, !blocked.has(code), after));
  const found = matching(text.value);
  const continents = [...new Set(found.map(({ continent }) => continent))];
  return (
    <section class="panel" aria-labelledby="countries">
      <header>
        <h2 id="countries">{t("Countries")}</h2>
      </header>
      <WorldMap
        shadeOf={(code) => blocked.has(code) ? "blocked" : ""}
        titleOf={(code) => `${countryName(code)}${blocked.has(code) ? t(": blocked") : ""}`}
        onPick={pick}
      />
      <div class="pad">
        <input
          class="input"
          type="search"
          aria-label={t("Search countries")}
          placeholder={t("Name, code or continent")}
          value={text.value}
          onInput={(event) => text.value = event.currentTarget.value}
        />
      </div>
      {continents.map((continent) => (
        <fieldset key={continent} class="pad places">
          <legend>{continent}</legend>
          {found.filter((one) => one.continent === continent).map(({ code, name }) => (
            <label key={code}>
              <input
                type="checkbox"
                checked={blocked.has(code)}
                onClick={(event) => {
                  // It moves once the change is applied.
                  event.preventDefault();
                  pick(code);
                }}
              />
              {name}
            </label>
          ))}
        </fieldset>
      ))}
      {found.length === 0 && <p class="pad s quiet">{t("No country has this name.")}</p>}
    </section>
  );
}

/** To whom the data is owed, as its license requires. */
function Attribution(): VNode {
  return (
    <p class="s quiet">
      {t("Countries and networks by tables on this router, from data of")}{" "}
      {rich(t("{link}, {link2} and {link3} (CC BY 4.0). No address is sent to anyone."), {
        link: <a href="https://www.nro.net">{t("NRO")}</a>,
        link2: <a href="https://www.routeviews.org">{t("Route Views")}</a>,
        link3: <a href="https://db-ip.com">{t("IP Geolocation by DB-IP")}</a>,
      })}
    </p>
  );
}
