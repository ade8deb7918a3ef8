import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { lazyPart } from "../../parts/load/lazy.tsx";
import type { Notice } from "../../wire.ts";
import { t } from "../../text/language.ts";

const ServeDhcpDialog = lazyPart(async () =>
  (await import("./serve_dhcp_dialog.tsx")).ServeDhcpDialog
);

/** Kind of the notices about another DHCP server. */
const FOREIGN_SERVER = "dhcp-foreign-server";

/** The interface and the server of such a notice; null for any other notice. */
export function foreignServer(
  { kind, data }: Notice,
): { readonly link: string; readonly server: string } | null {
  const link = data?.["interface"], server = data?.["server"];
  if (kind !== FOREIGN_SERVER || typeof link !== "string") return null;
  return { link, server: typeof server === "string" ? server : "another" };
}

/** Asks whether to enable DHCP on an interface although another server answers there. */
export function ServeDhcp({ link, server }: { link: string; server: string }): VNode {
  const isAsking = useSignal(false);
  return (
    <>
      <button class="btn" type="button" onClick={() => isAsking.value = true}>
        {t("Enable DHCP anyway")}
        <span class="vh">: {link}</span>
      </button>
      {isAsking.value && (
        <ServeDhcpDialog
          link={link}
          server={server}
          onClose={() => isAsking.value = false}
        />
      )}
    </>
  );
}
