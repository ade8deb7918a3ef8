import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { Copy } from "./copy.tsx";
import { Name } from "./name.tsx";
import { t } from "../../text/language.ts";
import "../../styles/parts/code.css";

/** Lines that are drawn at most; the whole text can still be copied. */
const MAX_LINES = 2000;

/** A text of a machine, such as a ruleset or the words of a tool: numbered, as it is, to be copied. */
export function CodeView({ title, text }: { title: string; text: string }): VNode {
  const id = useId();
  const lines = text.replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, MAX_LINES);
  return (
    <div class="code">
      <header>
        <h3 id={id}>
          <Name>{title}</Name>
        </h3>
        <Copy text={text} what={title} />
      </header>
      <pre tabIndex={0} role="region" aria-labelledby={id}>
        {shown.map((line, index) => <code key={index}>{`${line}\n`}</code>)}
      </pre>
      {lines.length > MAX_LINES && (
        <p class="s quiet pad">
          {t("And {lines} more lines.", { lines: lines.length - MAX_LINES })}
        </p>
      )}
    </div>
  );
}
