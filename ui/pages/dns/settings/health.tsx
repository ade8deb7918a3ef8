import type { VNode } from "preact";
import { put } from "../../../api/client.ts";
import { Fault } from "../../../parts/form/fault.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { failureText } from "../../../api/problem.ts";
import { say } from "../../../state/toast.ts";
import { numberText, sizeText } from "../../../text/format.ts";
import type { Loaded } from "../../../parts/load/use_loaded.ts";
import type { DnsHealth, ResolverHealth } from "../wire.ts";
import { t } from "../../../text/language.ts";
import { rich } from "../../../text/translate.ts";

const GROUPS: Readonly<Record<string, string>> = {
  default: t("Upstream"),
  family: t("Family DNS"),
  provider: "ISP",
};

/** Status of the upstream resolvers, and the cache. */
export function Health({ health }: { health: Loaded<DnsHealth> }): VNode {
  const now = health.body;
  return (
    <section class="panel" aria-labelledby="health">
      <header>
        <h2 id="health">{t("Status")}</h2>
        <button
          class="btn small"
          type="button"
          disabled={now === null}
          onClick={() => void flush()}
        >
          {t("Clear cache")}
        </button>
      </header>
      {health.problem !== null && (
        <Fault warning title={t("DNS status unavailable.")}>{health.problem.message}</Fault>
      )}
      {now === null ? health.problem === null && <Loading what={t("DNS status")} rows={2} /> : (
        <>
          {Object.entries(now.listenErrors).map(([address, why]) => (
            <Fault key={address} title={t("Not listening on {address}.", { address })}>{why}</Fault>
          ))}
          {now.upstreams.some((group) => group.clockUntrusted) && (
            <Fault title={t("The router’s clock may be wrong.")}>
              {t(
                "The TLS certificates of the upstream servers are not valid at this time. Until they are, only time servers are resolved, unencrypted.",
              )}
            </Fault>
          )}
          {now.upstreams.map(({ name, resolvers }) => (
            <ul class="rows" key={name} aria-label={GROUPS[name] ?? name}>
              {resolvers.map((one) => <Resolver key={one.address} one={one} group={name} />)}
            </ul>
          ))}
          <p class="pad s quiet">
            {t("Cached: {entries}, {bytes}", {
              entries: numberText(now.cache.entries),
              bytes: sizeText(now.cache.bytes),
            })}
            {now.unlogged > 0 &&
              t(". {number} queries were too many to log", { number: numberText(now.unlogged) })}
          </p>
        </>
      )}
    </section>
  );
}

const MARKS: Readonly<Record<ResolverHealth["state"], readonly [string, string]>> = {
  up: ["dot", t("Responds")],
  down: ["dot danger", t("Not responding")],
  unknown: ["dot off", t("Not used yet")],
};

function Resolver({ one, group }: { one: ResolverHealth; group: string }): VNode {
  const [mark, word] = MARKS[one.state];
  return (
    <li>
      <span class={mark} aria-hidden="true" />
      <div class="grow">
        <b>{one.address}</b> <span class="quiet">{GROUPS[group] ?? <Name>{group}</Name>}</span>
        <p>
          {word}
          {one.latency !== null && t(" in {latency} ms", { latency: Math.round(one.latency) })}
          {one.tlsHost === null ? t(", unencrypted") : (
            <>
              {rich(t(", as {tlsHost}"), { tlsHost: <Name>{one.tlsHost}</Name> })}
            </>
          )}
          {one.failed > 0 &&
            t(", {failed} of {queries} failed", {
              failed: numberText(one.failed),
              queries: numberText(one.queries),
            })}
        </p>
        {one.state === "down" && one.lastError !== null && (
          <p class="danger-t">
            <Name>{one.lastError}</Name>
          </p>
        )}
      </div>
    </li>
  );
}

async function flush(): Promise<void> {
  try {
    await put("/dns/flush");
    say({ text: t("Cache cleared.") });
  } catch (error) {
    say({ text: failureText(error, (text) => t("The cache was not cleared. {text}", { text })) });
  }
}
