import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import type { Action } from "../../../actions/action.ts";
import { applyOrPreview } from "../../../actions/apply.ts";
import { Dialog } from "../../../parts/overlay/dialog.tsx";
import { WriteFault } from "../../../parts/form/write_fault.tsx";
import { SelectField } from "../../../parts/form/choice_field.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { ApiProblem } from "../../../api/problem.ts";
import { devices } from "../../../state/store.ts";
import { clock, day } from "../../../text/time.ts";
import { decideName } from "../overrides/actions.ts";
import { clientAt } from "./clients.ts";
import { readable } from "./idn.ts";
import type { Explained, LogEntry } from "../wire.ts";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { audienceChoices, parseAudience } from "../overrides/audience.ts";
import { DurationField } from "../overrides/duration_field.tsx";
import { bare, clientOf, decisionsFor, queryName, reason, typeText, whoOf } from "../text.ts";
import { t } from "../../../text/language.ts";
import { rich } from "../../../text/translate.ts";

/** One query in full: its verdict with the reason, and custom rules to change it. */
export function EntryDialog(
  { entry, onClose }: { entry: LogEntry; onClose: () => void },
): VNode {
  const name = queryName(entry), client = clientOf(entry), who = whoOf(entry, devices.value);
  const scope = useSignal(client);
  const seconds = useSignal("0");
  const problem = useSignal<unknown>(null);
  const at = Date.parse(entry.Timestamp);
  const why = useLoaded<Explained>({ path: EXPLAIN, query: { name, client } }, [name, client]);
  // Devices may query anything; no rule is offered for what is no domain name, or the root.
  const odd = why.problem?.status === 400;
  const can = decisionsFor(entry);

  async function apply(act: Action): Promise<void> {
    problem.value = null;
    try {
      await applyOrPreview(act);
    } catch (error) {
      problem.value = error;
    }
  }

  const decide = (type: "permit" | "block"): Promise<void> =>
    apply(
      decideName(
        {
          type,
          domain: `${name}.`,
          ...parseAudience(scope.value),
          who: scope.value === client ? who : clientAt(scope.value) ?? "",
          seconds: seconds.value,
        },
        onClose,
      ),
    );
  return (
    <Dialog
      title={<Name>{readable(name)}</Name>}
      note={readable(name) === name ? null : <Name>{name}</Name>}
      kind="drawer"
      onClose={onClose}
    >
      <div class="body why">
        {problem.value !== null && (
          <WriteFault failed={t("Nothing was changed.")} error={problem.value} />
        )}
        <p>
          {rich(t("{who} queried {type} at {clock},"), {
            who: <Name>{who}</Name>,
            type: typeText(entry.Q[0]?.Qtype ?? 0),
            clock: clock(at, true),
          })} {day(at)}. <Name>{reason(entry)}</Name>
        </p>
        <h3>{t("Answer")}</h3>
        <Answers entry={entry} />
        {odd ? <p>{t("No rule can be made for this name.")}</p> : (
          <>
            <h3>{t("Current result")}</h3>
            <Why why={why.body} problem={why.problem} />
            <h3>{t("Change")}</h3>
            <div class="form pair">
              <SelectField
                label={t("Applies to")}
                value={scope.value}
                options={[
                  [client, who],
                  ...audienceChoices("*").filter(([value]) => value !== client),
                ]}
                onValue={(value) => scope.value = value}
              />
              <DurationField value={seconds.value} onValue={(value) => seconds.value = value} />
            </div>
          </>
        )}
      </div>
      {!odd && (
        <footer>
          <div class="row">
            {(can.length > 0 ? can : BOTH).map((type) => (
              <button
                key={type}
                class={type === "block" ? "btn danger grow" : "btn grow"}
                type="button"
                onClick={() => void decide(type)}
              >
                {type === "permit" ? t("Allow") : t("Block")}
              </button>
            ))}
            <button class="btn" type="button" onClick={() => void apply(ignore(name, onClose))}>
              {t("Do not log")}
            </button>
          </div>
        </footer>
      )}
    </Dialog>
  );
}

/** For a name of which the log cannot tell what would change it. */
const BOTH = ["permit", "block"] as const;

const EXPLAIN = "/plugins/dns/block/explain";

function ignore(name: string, after: () => void): Action {
  return {
    title: t("Preview: do not log domain"),
    subject: readable(name),
    sentence: t("is no longer logged."),
    button: t("Do not log"),
    done: t("is no longer logged."),
    request: () => ({
      method: "PUT",
      path: `/plugins/dns/log/domain_ignore/${encodeURIComponent(name)}`,
      body: {},
    }),
    after,
  };
}

function Answers({ entry }: { entry: LogEntry }): VNode {
  return (
    <>
      {entry.A.length === 0 ? <p class="s quiet">{t("No records")}</p> : (
        <ul class="answers">
          {entry.A.map((one, index) => {
            const { Hdr, ...fields } = one;
            return (
              <li key={index}>
                <span class="quiet">{typeText(Hdr.Rrtype)}</span>{" "}
                <Name>
                  {Object.values(fields).map((field) => readable(bare(String(field)))).join(" ")}
                </Name>
              </li>
            );
          })}
        </ul>
      )}
      <p class="s quiet">
        {rich(t("{value}, {ms} ms"), {
          value: entry.upstream === ""
            ? t("Answered locally")
            : <>{t("Upstream {upstream}", { upstream: entry.upstream })}</>,
          ms: entry.ms,
        })}
      </p>
    </>
  );
}

function Why(
  { why, problem }: { why: Explained | null; problem: ApiProblem | null },
): VNode {
  if (why === null) {
    return <p class="s quiet">{problem === null ? t("Loading") : problem.message}</p>;
  }
  return (
    <>
      <p>
        <Name>{why.reason}</Name>
      </p>
      <ul class="answers">
        {why.overrides.map((one) => (
          <li key={`${one.list} ${one.type} ${one.domain} ${one.client}`}>
            <Name>{overrideText(one)}</Name>
            {one.reason !== "" && (
              <span class="quiet">
                : <Name>{one.reason}</Name>
              </span>
            )}
          </li>
        ))}
        {why.lists.map((one) => (
          <li key={`${one.uri} ${one.domain}`}>
            <Name>
              {t("{readable} is on {uri}", { readable: readable(one.domain), uri: one.uri })}
            </Name>
            {one.reason !== "" && (
              <span class="quiet">
                : <Name>{one.reason}</Name>
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function overrideText({ type, domain, list }: Explained["overrides"][number]): string {
  const name = domain === "." ? t("all domains") : readable(bare(domain));
  const where = list === "Default" ? t("in your custom rules") : t("in the list {list}", { list });
  return `${type === "permit" ? t("Allows") : t("Blocks")} ${name}, ${where}`;
}
