import { withManyReaders } from "../../kit/events/many_readers.ts";
import type { Row } from "../table.ts";

const CROWD = { readers: 200, perSecond: 2000, seconds: 5 };
const WORDS = {
  sse: "event streams",
  ws: "WebSockets",
  notices: "WebSockets for notifications",
} as const;

/** Many readers over TCP, of a program of its own: whether all keep up, and what that costs. */
export async function readers(): Promise<readonly Row[]> {
  const kinds = ["sse", "ws", "notices"] as const;
  const received = await withManyReaders(kinds.map((kind) => ({ kind, ...CROWD })));
  return kinds.flatMap((kind, at): readonly Row[] => {
    const { whole, missing, took, processor } = received[at]!;
    if (missing.length > 0) {
      throw new Error(`${missing.length} ${WORDS[kind]} lack ${missing.slice(0, 5)} … events`);
    }
    const what = `events to ${whole} ${WORDS[kind]} over TCP, without loss`;
    const total = CROWD.perSecond * CROWD.seconds;
    return [
      {
        ...{ what, unit: "/s", aim: 0.9, beside: "the rate at which they were to be published" },
        ...{ ours: total / took, baseline: CROWD.perSecond },
      },
      {
        ...{ what: `${what}: processor time of the api`, unit: "ms", aim: 1 },
        ...{ ours: processor * 1000, baseline: CROWD.seconds * 1000 },
        beside: "one core for as long",
      },
    ];
  });
}
