import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { SelectField } from "../../../parts/form/choice_field.tsx";
import { Fault } from "../../../parts/form/fault.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { Name, Names } from "../../../parts/show/name.tsx";
import { changeEvents, devices } from "../../../state/store.ts";
import { Chain } from "../chain.tsx";
import { Suggestions } from "../suggestions.tsx";
import { answerText, type Question } from "../text.ts";
import type { ReachAnswer } from "../wire.ts";
import { partsOf, type Party } from "./parties.ts";
import { cellOf, endsOf, partyNote, reachHref, textOfPart } from "./text.ts";
import type { ReachMatrix } from "./wire.ts";
import { t, tn } from "../../../text/language.ts";
import { rich } from "../../../text/translate.ts";

/** Milliseconds that a pair stays selected before its rules are asked for. */
const ASK_DELAY_MS = 250;
const PROTOCOLS = [["tcp", "TCP"], ["udp", "UDP"], ["icmp", t("Ping")]] as const;

/** The connection that is asked about between two devices. */
export type Service = Pick<Question, "protocol" | "port">;

/** What stands beside the grid, and on a narrow screen in a sheet. */
export interface PairProps {
  readonly matrix: ReachMatrix;
  readonly from: Party;
  readonly to: Party;
  readonly name: (identity: string) => string;
  readonly service: Service;
  readonly onService: (service: Service) => void;
  /** Shows the devices of the groups. */
  readonly onFold: () => void;
}

/** The access of one party to another: the word for it, the reason, and ways to change it. */
export function Pair(props: PairProps): VNode {
  const { matrix, from, to } = props;
  const { word, tone, reason } = cellOf(matrix, from, to);
  const ends = endsOf(matrix, from, to);
  return (
    <>
      <section class="panel matrix-chosen" aria-label={t("Selected pair")}>
        <header>
          <h2 tabIndex={-1}>
            {rich(t("{label} to {label2}"), {
              label: <Name>{from.label}</Name>,
              label2: <Name>{to.label}</Name>,
            })}
          </h2>
          <b class={`${tone} s`}>{word}</b>
        </header>
        {from.kind === "group" || to.kind === "group"
          ? <GroupAnswers {...props} />
          : (
            <p class="pad s soft">
              {reason === "" ? t("A device always reaches itself.") : <Name>{reason}</Name>}
            </p>
          )}
      </section>
      {ends !== null && (
        <Connection
          key={JSON.stringify(ends)}
          {...props}
          question={{ ...ends, ...props.service }}
        />
      )}
    </>
  );
}

/** How many pairs of two groups have which answer, and whose they are. */
function GroupAnswers({ matrix, from, to, name, onFold }: PairProps): VNode {
  const parts = partsOf(matrix, from, to);
  const groups = [from, to].filter((party, at, both) =>
    party.kind === "group" && (at === 0 || party.key !== both[0]!.key)
  );
  const closed = groups.some(({ open }) => open === false);
  return (
    <>
      {parts.length === 0
        ? <p class="pad s soft">{t("The group has one device only.")}</p>
        : (
          <ul class="rows" aria-label={t("Answers")}>
            {parts.map((part) => {
              const { word, tone, mark, reason } = textOfPart(matrix, part);
              return (
                <li key={part.answer}>
                  <i class={`mark-${mark}`} aria-hidden="true" />
                  <div class="grow">
                    <b>
                      <Name>{reason}</Name>
                    </b>
                    <p>
                      {tn("{count} pair", "{count} pairs", part.pairs)},{" "}
                      <span class={tone}>{word}</span>
                    </p>
                    <details>
                      <summary>{t("Devices")}</summary>
                      <p>
                        {from.kind === "group" && <Names>{part.from.map(name)}</Names>}
                        {from.kind === "group" && to.kind === "group" && t("to")}
                        {to.kind === "group" && <Names>{part.to.map(name)}</Names>}
                      </p>
                    </details>
                  </div>
                </li>
              );
            })}
          </ul>
        )}
      <div class="pad row wrap">
        {closed && (
          <button class="btn" type="button" onClick={onFold}>
            {t("Show devices ({groups})", { groups: groups.map(partyNote).join(", ") })}
          </button>
        )}
        {groups.filter(({ group }) => group !== "").map(({ key, group }) => (
          <a key={key} class="btn" href={`/admin/groups/${encodeURIComponent(group!)}`}>
            {rich(t("Group {group}"), { group: <Name>{group!}</Name> })}
          </a>
        ))}
      </div>
    </>
  );
}

/** One connection between two devices: the rule that decides it, and ways to allow or block it. */
function Connection(
  { question, service, onService }: PairProps & { readonly question: Question },
): VNode {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), ASK_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  const [port, setPort] = useState(service.port);
  const values = Object.values(question);
  const { body, problem } = useLoaded<ReachAnswer>(
    settled ? { path: "/reach", query: { ...question } } : null,
    [settled, changeEvents.value, devices.value, ...values],
  );
  const yes = body?.verdict === "accept";
  const decides = body?.rules.find((rule) => rule.decides);
  return (
    <>
      <section class="panel" aria-label={t("Connection")}>
        <form
          class="pad matrix-service"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            onService({ ...service, port: port.trim() });
          }}
        >
          <SelectField
            label={t("Protocol")}
            value={service.protocol}
            options={PROTOCOLS}
            onValue={(protocol) => {
              const usual = port === "" ? "443" : port;
              setPort(protocol === "icmp" ? "" : usual);
              onService({ protocol, port: protocol === "icmp" ? "" : usual });
            }}
          />
          {service.protocol !== "icmp" && (
            <Field
              label={t("Port")}
              inputMode="numeric"
              autocomplete="off"
              value={port}
              onValue={setPort}
            />
          )}
          <button class="btn" type="submit">{t("Test")}</button>
        </form>
        {problem !== null
          ? <Fault title={t("The test failed.")}>{problem.message}</Fault>
          : body === null
          ? <Loading what={t("the result")} rows={2} />
          : (
            <div class="pad stack matrix-answer">
              <p role="status">
                <b class={yes ? "success-t" : "danger-t"}>{yes ? t("Allowed.") : t("Blocked.")}</b>
                {" "}
                <Name>{answerText(question, body)}</Name>
              </p>
              <p class="s soft">
                <Name>{decides?.description ?? body.reason}</Name>
              </p>
              <div class="row">
                <a class="btn small" href={reachHref(question)}>{t("Open in access test")}</a>
              </div>
            </div>
          )}
      </section>
      {body !== null && problem === null && (
        <Suggestions
          key={JSON.stringify(question)}
          question={question}
          yes={yes}
          onMoved={() => {}}
        />
      )}
      {body !== null && problem === null && (
        <details class="panel matrix-rules">
          <summary class="pad">
            {tn("{count} matched rule", "{count} matched rules", body.rules.length)}
          </summary>
          <Chain rules={body.rules} />
        </details>
      )}
    </>
  );
}
