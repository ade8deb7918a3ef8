import type { CDPSession, Page } from "playwright";
import { manyDevices } from "../../kit/builders/many_devices.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { median, type Row } from "../table.ts";
import { type Answered, answerTime, interactiveTime, slowDown } from "./slowed_page.ts";

const MANY = 1000;
const FEW = 10;
const LOADS = 5;
/** Milliseconds at most, on the slowed processor. */
const LIMITS = { signIn: 2500, devices: 4000, answer: 100 } as const;
const DEVICES = "/admin/devices";
const SIGN_IN = 'input[type="password"]';
const A_ROW = "tbody [data-key]";

/** What one list of devices took, in milliseconds. */
interface Times {
  readonly interactive: number;
  readonly acts: Readonly<Record<string, Answered>>;
}

/** How soon pages can be used and answer on a processor that is four times slower. */
export async function pageTimes(): Promise<readonly Row[]> {
  const many = await listTimes(MANY);
  const few = await listTimes(FEW);
  const beside = `with ${FEW} devices`;
  const signIn = await signInTime();
  return [
    {
      what: "sign-in, until it can be used",
      ours: signIn,
      baseline: LIMITS.signIn,
      unit: "ms",
      beside: "the limit",
      aim: 1,
    },
    {
      what: `Devices with ${MANY}, until it can be used`,
      ours: many.interactive,
      baseline: few.interactive,
      unit: "ms",
      beside: `${beside}; at most ${LIMITS.devices} ms`,
      aim: LIMITS.devices / few.interactive,
    },
    ...Object.entries(many.acts).flatMap(([name, { picture, thread }]): Row[] => {
      const other = few.acts[name]!;
      return [
        {
          what: `${name}, until the picture`,
          ours: picture,
          baseline: other.picture,
          unit: "ms",
          beside: `${beside}; at most ${LIMITS.answer} ms`,
          aim: LIMITS.answer / other.picture,
        },
        {
          what: `${name}, processor time until at rest`,
          ours: thread,
          baseline: other.thread,
          unit: "ms",
          beside,
        },
      ];
    }),
  ];
}

async function signInTime(): Promise<number> {
  const times: number[] = [];
  await onRouter({}, async ({ open, origin }) => {
    for (let turn = 0; turn < LOADS; turn++) {
      const page = await open({ path: "/favicon.ico", signIn: false });
      await slowDown(page, SIGN_IN);
      times.push(await interactiveTime(page, `${origin}/admin`));
      await page.context().close();
    }
  });
  return median(times);
}

async function listTimes(number: number): Promise<Times> {
  const interactive: number[] = [];
  const acts: Record<string, Answered[]> = {};
  await onRouter({ files: manyDevices(number) }, async ({ open, origin }) => {
    for (let turn = 0; turn < LOADS; turn++) {
      const page = await open({ path: "/favicon.ico" });
      const session = await slowDown(page, A_ROW);
      interactive.push(await interactiveTime(page, `${origin}${DEVICES}`));
      for (const [name, answer] of Object.entries(await actTimes(page, session))) {
        (acts[name] ??= []).push(answer);
      }
      await page.context().close();
    }
  });
  const middle = (all: readonly Answered[]): Answered => ({
    picture: median(all.map(({ picture }) => picture)),
    thread: median(all.map(({ thread }) => thread)),
  });
  return {
    interactive: median(interactive),
    acts: Object.fromEntries(Object.entries(acts).map(([name, all]) => [name, middle(all)])),
  };
}

/** A person narrows the list, empties the filter, sorts it, and finds a device by the palette. */
async function actTimes(page: Page, session: CDPSession): Promise<Record<string, Answered>> {
  const answer = (event: "keydown" | "click", act: () => Promise<void>) =>
    answerTime(page, session, event, act);
  const press = (key: string) => answer("keydown", () => page.keyboard.press(key));
  const sort = (word: string) =>
    answer("click", () => page.getByRole("button", { name: word }).click());
  await page.getByLabel("Search devices").focus();
  const first = await press("0");
  await press("0");
  const third = await press("1");
  await press("2");
  const emptied = await press("Escape");
  const sorted = await sort("Groups");
  const again = await sort("IP address");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await page.waitForTimeout(500);
  return {
    "a key in the filter that leaves all": first,
    "a key that narrows the list": third,
    "Esc, which empties the filter": emptied,
    "a sort by groups": sorted,
    "a sort by address": again,
    "a key in the palette": await press("0"),
    "a second key": await press("1"),
  };
}
