import { onRouter } from "../../kit/browser/real_stage.ts";
import { listed, loaded, weightOf } from "../../kit/browser/page_weight.ts";
import { DEMO, fillHome } from "../../kit/builders/demo_home.ts";
import { print } from "../print.ts";
import type { Row } from "../table.ts";

const MOST_REQUESTS = 15;
const MOST_BYTES = 45 * 1024;

/** What a first visit loads, over HTTP without TLS. */
export async function pageWeights(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later, origin, sitAt }) => {
    await fillHome(router, later);
    // From another machine, to which answers are compressed.
    sitAt({ source: "192.168.2.10", local: null });
    const pages = [
      { what: "sign-in", path: "/admin", until: "Sign in", language: "en", signIn: false },
      { what: "Home", path: "/admin", until: "attention", language: "en", signIn: true },
      {
        what: "Home in German",
        path: "/admin",
        until: "Aufmerksamkeit",
        language: "de",
        signIn: true,
      },
      { what: "Devices", path: "/admin/devices", until: "Devices", language: "en", signIn: true },
    ];
    for (const { what, path, until, language, signIn } of pages) {
      const page = await open({ path: "/favicon.ico", signIn, languages: [language] });
      const all = await loaded(page, origin + path, until);
      print(`${what}:\n${listed(all)}\n`);
      rows.push(
        row(what, all.length, MOST_REQUESTS, "requests"),
        row(what, weightOf(all), MOST_BYTES, "B"),
      );
    }
  });
  return rows;
}

function row(page: string, ours: number, most: number, unit: "requests" | "B"): Row {
  return {
    what: `the first load of ${page}`,
    ours,
    baseline: most,
    unit,
    beside: "the limit",
    aim: 1,
  };
}
