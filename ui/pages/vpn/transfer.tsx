import type { VNode } from "preact";
import { Icon } from "../../parts/show/icon.tsx";
import { Qr } from "../../parts/show/qr.tsx";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/** Characters of an interface's name, which the WireGuard app takes from the file's. */
const MAX_FILE_NAME = 15;

/** A name for a configuration file: what every WireGuard program takes. */
function fileName(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(
    /[^a-z0-9]+/g,
    "-",
  )
    .replace(/^-+|-+$/g, "").slice(0, MAX_FILE_NAME);
  return `${plain || "vpn"}.conf`;
}

/** Has the browser keep a text as a file. */
function saveText(text: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A configuration on its way to the device: to be scanned, or as a file. It is not shown again. */
export function Transfer(
  { config, name, kind }: { config: string; name: string; kind: "phone" | "laptop" },
): VNode {
  return kind === "phone"
    ? (
      <>
        <p class="s soft">
          {rich(t("In the WireGuard app: {b}, then {b2}."), {
            b: <b>+</b>,
            b2: <b>{t("Create from QR code")}</b>,
          })}
        </p>
        <Qr text={config} label={t("QR code of the VPN configuration")} />
        <p class="s quiet">
          {t("Shown once: the key is stored nowhere. If it is lost, make a new one.")}
        </p>
      </>
    )
    : (
      <>
        <p class="s soft">
          {rich(t("In the WireGuard app: {b}. On Linux:"), {
            b: <b>{t("Import tunnel(s) from file")}</b>,
          })} <code class="any">wg-quick up ./{fileName(name)}</code>
        </p>
        <div class="row">
          <button
            class="btn primary"
            type="button"
            onClick={() => saveText(config, fileName(name))}
          >
            <Icon name="copy" small /> {t("Save {fileName}", { fileName: fileName(name) })}
          </button>
        </div>
        <p class="s quiet">
          {t("Offered once: the key is stored nowhere else. Delete the file after importing it.")}
        </p>
      </>
    );
}
