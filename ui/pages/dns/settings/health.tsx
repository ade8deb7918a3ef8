import type { VNode } from "preact";
import { put } from "../../../api/client.ts";
import { Fault } from "../../../parts/form/fault.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { wordsOf } from "../../../api/problem.ts";
import { say } from "../../../state/toast.ts";
import { numberWords } from "../../../text/words.ts";
import type { Loaded } from "../../../parts/load/use_loaded.ts";
import type { DnsHealth, ResolverHealth } from "../wire.ts";
import { sizeWords } from "../words.ts";

const GROUPS: Readonly<Record<string, string>> = {
  default: "Resolvers outside",
  family: "Family DNS",
  provider: "Your provider’s",
};

/** How the resolvers outside do, and what this router remembers of their answers. */
export function Health({ health }: { health: Loaded<DnsHealth> }): VNode {
  const now = health.body;
  return (
    <section class="panel" aria-labelledby="health">
      <header>
        <h2 id="health">How they do</h2>
        <button
          class="btn small"
          type="button"
          disabled={now === null}
          onClick={() => void flush()}
        >
          Forget answers
        </button>
      </header>
      {health.problem !== null && (
        <Fault heed title="How the resolvers do is not known.">{health.problem.message}</Fault>
      )}
      {now === null ? health.problem === null && <Loading what="resolvers" rows={2} /> : (
        <>
          {Object.entries(now.faults).map(([address, why]) => (
            <Fault key={address} title={`Nobody is answered on ${address}.`}>{why}</Fault>
          ))}
          {now.upstreams.some((group) => group.doubtsClock) && (
            <Fault title="The router’s clock may be wrong.">
              Certificates of resolvers do not fit it. Until they do, only time servers are looked
              up, in the open.
            </Fault>
          )}
          {now.upstreams.map(({ name, resolvers }) => (
            <ul class="rows" key={name} aria-label={GROUPS[name] ?? name}>
              {resolvers.map((one) => <Resolver key={one.address} one={one} group={name} />)}
            </ul>
          ))}
          <p class="pad s quiet">
            Remembers {numberWords(now.cache.entries)} answers, {sizeWords(now.cache.bytes)}
            {now.unlogged > 0 &&
              `. ${numberWords(now.unlogged)} questions were too many for the log`}
          </p>
        </>
      )}
    </section>
  );
}

const MARKS: Readonly<Record<ResolverHealth["state"], readonly [string, string]>> = {
  up: ["dot", "Answers"],
  down: ["dot shut", "Does not answer"],
  unknown: ["dot off", "Not asked yet"],
};

function Resolver({ one, group }: { one: ResolverHealth; group: string }): VNode {
  const [mark, word] = MARKS[one.state];
  return (
    <li>
      <span class={mark} aria-hidden="true" />
      <div class="grow">
        <b>{one.address}</b> <span class="quiet">{GROUPS[group] ?? <Name>{group}</Name>}</span>
        <p>
          {word}
          {one.latency !== null && ` in ${Math.round(one.latency)} ms`}
          {one.tlsHost === null ? ", asked in the open" : (
            <>
              , as <Name>{one.tlsHost}</Name>
            </>
          )}
          {one.failed > 0 && `, ${numberWords(one.failed)} of ${numberWords(one.asked)} failed`}
        </p>
        {one.state === "down" && one.lastError !== null && (
          <p class="shut-t">
            <Name>{one.lastError}</Name>
          </p>
        )}
      </div>
    </li>
  );
}

async function flush(): Promise<void> {
  try {
    await put("/dns/flush");
    say({ text: "All answers from outside are forgotten. They are asked for anew." });
  } catch (error) {
    say({ text: `Nothing was forgotten. ${wordsOf(error)}` });
  }
}
