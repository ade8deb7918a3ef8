/** A piece of a page of the manual: text, or an element with what it holds. */
export type ManualNode = string | ManualElement;

/** An element: `to` is the destination of a link, `id` what a heading is linked by. */
export interface ManualElement {
  readonly tag: ManualTag;
  readonly id?: string;
  readonly to?: string;
  readonly in: readonly ManualNode[];
}

/** The elements that a page of the manual is made of. */
export type ManualTag =
  | ("h2" | "h3" | "h4" | "p" | "ul" | "ol" | "li" | "pre" | "code" | "strong" | "em" | "a")
  | ("table" | "thead" | "tbody" | "tr" | "th" | "td");

/** One page of the manual, as the list of pages has it. */
export interface ManualEntry {
  /** Name of its file in `docs/`, without the ending. */
  readonly id: string;
  readonly title: string;
  /** Address of its content. */
  readonly file: string;
  readonly sections: readonly ManualSection[];
}

/** A section by what it is linked by and its heading. */
export interface ManualSection {
  readonly id: string;
  readonly title: string;
}

let list: Promise<readonly ManualEntry[]> | null = null;
const pages = new Map<string, Promise<readonly ManualNode[]>>();

async function json<T>(address: string): Promise<T> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`The manual did not come: ${answer.status}`);
  return await answer.json() as T;
}

/** The pages of the manual in its order, loaded once. Rejects when they did not come. */
export function loadManual(): Promise<readonly ManualEntry[]> {
  const address = document.querySelector<HTMLMetaElement>("meta[name=manual]")?.content ?? "";
  return list ??= json<readonly ManualEntry[]>(address).catch((error) => {
    list = null;
    throw error;
  });
}

/** The content of a page, loaded once. Rejects when it did not come. */
export function loadManualPage({ file }: ManualEntry): Promise<readonly ManualNode[]> {
  let page = pages.get(file);
  if (page === undefined) {
    page = json<readonly ManualNode[]>(file).catch((error) => {
      pages.delete(file);
      throw error;
    });
    pages.set(file, page);
  }
  return page;
}
