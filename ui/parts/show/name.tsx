import { Fragment, type VNode } from "preact";
import { plain } from "../../text/format.ts";

/** Text that came from the network, isolated in its own direction. Always text, never markup. */
export function Name({ children, class: extra }: { children: string; class?: string }): VNode {
  return <bdi dir="auto" class={extra}>{plain(children)}</bdi>;
}

/** Such texts in a row, each isolated: one that runs right to left turns no other around. */
export function Names({ children }: { children: readonly string[] }): VNode {
  return (
    <>
      {children.map((text, index) => (
        <Fragment key={index}>
          {index > 0 && ", "}
          <Name>{text}</Name>
        </Fragment>
      ))}
    </>
  );
}
