import type { VNode } from "preact";
import type { PackageList } from "../../wire.ts";
import { Name } from "./name.tsx";
import { t } from "../../text/language.ts";
import "../../styles/parts/packages.css";

type Missing = Pick<PackageList, "items" | "installs">;

/** Which Debian packages the network needs and the machine lacks, by which process and what for. */
export function MissingPackages(
  { missing: { items, installs }, open = false }: { missing: Missing; open?: boolean },
): VNode {
  const names = items.map(({ name }) => name);
  // Without dpkg nobody knows which of them are there.
  const isKnown = items.every(({ installed }) => installed !== null);
  const isCommand = !installs && isKnown;
  return (
    <div class="packages">
      <p class="s">
        {installs
          ? t("These Debian packages are installed first:")
          : isKnown
          ? t("Debian packages are missing. Install them first:")
          : t("This is no Debian system. Install first what these packages hold:")}
      </p>
      {isCommand
        ? <code class="s">apt-get install {names.join(" ")}</code>
        : <p class="s names">{names.join(", ")}</p>}
      <details open={open}>
        <summary class="s">{t("What for")}</summary>
        <ul>
          {items.map(({ name, neededBy }) => (
            <li key={name}>
              <Name>{name}</Name>
              <span class="by">{neededBy.map(({ process }) => process).join(", ")}</span>
              {neededBy.map(({ process, why }) => (
                <span key={process} class="why">
                  {neededBy.length > 1 ? `${process}: ${why}` : why}
                </span>
              ))}
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}
