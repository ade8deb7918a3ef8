import { BROWSER } from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { manyDevices } from "../../kit/builders/many_devices.ts";
import { PASSWORD } from "../../kit/router.ts";
import { inFolder } from "../../kit/process.ts";
import { print } from "../print.ts";
import type { Row } from "../table.ts";

/** Downloaded when this part runs, and kept out of the lock file: nothing else uses it. */
const LIGHTHOUSE = "npm:lighthouse@12.2.3";
const DEVICES = 50;
const LEAST = 95;
const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"];
/** As Lighthouse calls them; its own default is a phone on a slow network. */
const FORMS = { desktop: ["--preset=desktop"], phone: [] } as const;

/** What of a report is read. */
interface Report {
  readonly categories: Readonly<
    Record<string, { readonly score: number | null; readonly auditRefs: readonly Ref[] }>
  >;
  readonly audits: Readonly<Record<string, Audit>>;
}

interface Ref {
  readonly id: string;
  readonly weight: number;
}

interface Audit {
  readonly title: string;
  readonly score: number | null;
  readonly displayValue?: string;
}

/** The scores that Lighthouse gives the sign-in and the list of devices, on a desk and on a phone. */
export async function lighthouseScores(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  await inFolder(async (folder) => {
    await onRouter({ files: manyDevices(DEVICES) }, async ({ origin }) => {
      await using chromium = await startChromium(`${folder}/profile`);
      const cookie = await sessionCookie(origin);
      const pages = [
        { name: "sign-in", address: `${origin}/admin`, headers: {} },
        { name: "Devices", address: `${origin}/admin/devices`, headers: { Cookie: cookie } },
      ];
      for (const { name, address, headers } of pages) {
        for (const [form, flags] of Object.entries(FORMS)) {
          const options = [
            ...[`--port=${chromium.port}`, `--extra-headers=${JSON.stringify(headers)}`],
            ...[`--only-categories=${CATEGORIES.join(",")}`, ...flags],
          ];
          const report = await reportOf(address, options, `${folder}/${name}-${form}.json`);
          rows.push(...scores(`${name}, ${form}`, report));
        }
      }
    });
  });
  return rows;
}

function scores(page: string, { categories, audits }: Report): readonly Row[] {
  return Object.entries(categories).map(([name, { score, auditRefs }]) => {
    for (const { id, weight } of auditRefs) {
      const { title, score, displayValue = "" } = audits[id]!;
      if (weight > 0 && score !== null && score < 0.9) {
        print(`${page}, ${name}: ${title} ${displayValue} (${score})`);
      }
    }
    return {
      what: `Lighthouse: ${page}, ${name}`,
      ours: (score ?? 0) * 100,
      baseline: LEAST,
      unit: "points",
      beside: "the limit",
      aim: 1,
    };
  });
}

async function reportOf(
  address: string,
  options: readonly string[],
  file: string,
): Promise<Report> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-q", "-A", "--no-config", "--no-lock", "--node-modules-dir=none", LIGHTHOUSE],
      ...[address, "--quiet", "--output=json", `--output-path=${file}`, ...options],
    ],
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`No report of ${address}: ${new TextDecoder().decode(stderr)}`);
  return JSON.parse(await Deno.readTextFile(file));
}

/** The cookie of a fresh session. */
async function sessionCookie(origin: string): Promise<string> {
  const answer = await fetch(`${origin}/auth/login`, {
    method: "PUT",
    headers: { Authorization: `Basic ${btoa(`admin:${PASSWORD}`)}` },
  });
  await answer.body?.cancel();
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0];
  if (cookie === undefined) throw new Error(`No session: ${answer.status}`);
  return cookie;
}

/** Starts the browser of the tests where Lighthouse can steer it. */
async function startChromium(
  profile: string,
): Promise<AsyncDisposable & { readonly port: number }> {
  const child = new Deno.Command(BROWSER.executablePath, {
    args: [...BROWSER.args, `--user-data-dir=${profile}`, "--remote-debugging-port=0"],
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let output = "";
  let port: string | undefined;
  while (port === undefined) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`Chromium ended: ${output}`);
    output += value;
    port = /DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(output)?.[1];
  }
  const rest = (async () => {
    while (!(await reader.read()).done);
  })();
  return {
    port: Number(port),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.status;
      await rest;
    },
  };
}
