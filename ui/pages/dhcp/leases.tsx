import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Name } from "../../parts/show/name.tsx";
import { moveRowFocus } from "../../parts/form/keys.ts";
import type { Lease } from "./wire.ts";
import { momentText, untilText } from "./text.ts";
import { SearchField } from "../../parts/table/search_field.tsx";
import { t } from "../../text/language.ts";

/** Leases that are drawn at once. */
const SHOWN = 100;

/** Every address with whose it is, where and until when; filtered by words. */
export function Leases(
  { leases, text, now, onText }: {
    leases: readonly Lease[];
    text: string;
    now: number;
    onText: (text: string) => void;
  },
): VNode {
  const shown = useSignal(SHOWN);
  const found = leases.filter((lease) => isLike(lease, text));
  return (
    <>
      <div class="pad">
        <SearchField
          label={t("Filter leases")}
          hint={t("Name, IP, MAC, interface")}
          text={text}
          onText={onText}
        />
      </div>
      {found.length === 0
        ? (
          <p class="pad s quiet">
            {leases.length === 0 ? t("No leases yet.") : t("No matches for “{text}”.", { text })}
          </p>
        )
        : (
          <table
            class="tbl links"
            role="table"
            aria-label={t("Leases")}
            onKeyDown={moveRowFocus}
          >
            <thead role="rowgroup">
              <tr role="row">
                <th scope="col" role="columnheader">{t("Device")}</th>
                <th scope="col" role="columnheader">{t("IP address")}</th>
                <th scope="col" role="columnheader">{t("Interface")}</th>
                <th scope="col" role="columnheader">{t("Last renewal")}</th>
                <th scope="col" role="columnheader" class="num">{t("Expires")}</th>
              </tr>
            </thead>
            <tbody role="rowgroup">
              {found.slice(0, shown.value).map((lease) => (
                <Row key={lease.identity} lease={lease} now={now} />
              ))}
            </tbody>
          </table>
        )}
      {found.length > shown.value && (
        <footer>
          <button class="btn small" type="button" onClick={() => shown.value += SHOWN}>
            {t("{found} more", { found: found.length - shown.value })}
          </button>
        </footer>
      )}
    </>
  );
}

function Row({ lease, now }: { lease: Lease; now: number }): VNode {
  const { identity, name, address, interface: link, since, until, online } = lease;
  const ends = until !== null && until > now;
  return (
    <tr role="row">
      <td role="cell" class="c-name">
        <div class="who">
          <span class={online ? "dot" : "dot off"} aria-hidden="true" />
          <a href={`/admin/devices/${encodeURIComponent(identity)}`} data-row>
            <Name>{name || identity}</Name>
          </a>
          <span class="vh">{online ? t("online") : t("offline")}</span>
        </div>
      </td>
      <td role="cell" class="c-address">{address}</td>
      <td role="cell" class="soft c-where">
        {link === null ? <span class="quiet">{t("never seen")}</span> : <Name>{link}</Name>}
      </td>
      <td role="cell" class={since === null ? "soft" : "soft c-renewed"}>
        {since === null ? <span class="quiet">{t("never")}</span> : momentText(since, now)}
      </td>
      <td role="cell" class={ends ? "num c-ends" : "num"}>{untilText(until, now)}</td>
    </tr>
  );
}

function isLike(lease: Lease, text: string): boolean {
  const all = `${lease.name} ${lease.identity} ${lease.address} ${lease.interface ?? ""}`
    .toLowerCase();
  return text.trim().toLowerCase().split(/\s+/).every((word) => all.includes(word));
}
