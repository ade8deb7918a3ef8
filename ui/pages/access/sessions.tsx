import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name } from "../../parts/show/name.tsx";
import { failureText, textOf } from "../../api/problem.ts";
import { signOut, user } from "../../state/session.ts";
import { age, clock, day, isNow } from "../../text/time.ts";
import { say } from "../../state/toast.ts";
import type { Page, Session } from "../../wire.ts";
import { t } from "../../text/language.ts";

/** Every signed-in browser, each with a button to sign it out. */
export function SessionsPanel(): VNode {
  const [sessions, setSessions] = useState<readonly Session[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  async function load(): Promise<void> {
    try {
      setSessions((await call<Page<Session>>({ path: "/auth/sessions" })).body.items);
      setProblem(null);
    } catch (error) {
      setProblem(textOf(error));
    }
  }
  useEffect(() => void load(), []);

  async function end(session: Session): Promise<void> {
    if (session.current) return await signOut();
    try {
      await call({ method: "DELETE", path: `/auth/sessions/${encodeURIComponent(session.id)}` });
      say({ text: t("Session signed out.") });
    } catch (error) {
      say({ text: failureText(error, (text) => t("Not signed out. {text}", { text })) });
    }
    await load();
  }

  async function endOthers(): Promise<void> {
    const others = (sessions ?? []).filter(({ current, user: name }) =>
      !current && name === user.value
    );
    const ends = await Promise.allSettled(
      others.map(({ id }) =>
        call({ method: "DELETE", path: `/auth/sessions/${encodeURIComponent(id)}` })
      ),
    );
    const left = ends.filter(({ status }) => status === "rejected").length;
    say({
      text: left === 0
        ? t("Other sessions were signed out.")
        : t("{left} sessions could not be signed out.", { left }),
    });
    await load();
  }

  async function endAll(): Promise<void> {
    await endOthers();
    await signOut();
  }

  return (
    <section class="panel" aria-labelledby="sessions">
      <header>
        <h2 id="sessions">{t("Sessions")}</h2>
        {(sessions?.length ?? 0) > 1 && (
          <span class="row wrap">
            <button class="btn small" type="button" onClick={() => void endOthers()}>
              {t("Sign out other sessions")}
            </button>
            <button class="btn small" type="button" onClick={() => void endAll()}>
              {t("Sign out everywhere")}
            </button>
          </span>
        )}
      </header>
      {problem !== null && <Fault title={t("The sessions could not be loaded.")}>{problem}</Fault>}
      {sessions === null
        ? problem === null && <Loading what={t("sessions")} rows={2} />
        : (
          <ul class="rows">
            {sessions.map((session) => (
              <li key={session.id}>
                <div class="grow">
                  <b>
                    <Name>{session.user}</Name>
                    {session.source && t(" from {source}", { source: session.source })}
                  </b>
                  <p>
                    {session.current
                      ? t("This browser")
                      : isNow(session.lastSeen, Date.now())
                      ? t("Active now")
                      : t("Last active {age} ago", { age: age(session.lastSeen, Date.now()) })}
                    {t(", since {day}, {clock}", {
                      day: day(session.createdAt),
                      clock: clock(session.createdAt),
                    })}
                    {agentText(session.agent)}
                  </p>
                </div>
                <button class="btn small" type="button" onClick={() => void end(session)}>
                  {t("Sign out")}
                  <span class="vh">
                    {session.current
                      ? t("here")
                      : t(" session from {source}", { source: session.source })}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
    </section>
  );
}

const BROWSERS = [["Firefox", /Firefox\//], ["Edge", /Edg\//], ["Chrome", /Chrom/], [
  "Safari",
  /Safari\//,
]] as const;
const SYSTEMS = [["Android", /Android/], ["iOS", /iPhone|iPad/], ["Windows", /Windows/], [
  "macOS",
  /Mac OS/,
], ["Linux", /Linux/]] as const;

/** `, Firefox on Linux`; empty for anything that is no known browser. */
function agentText(agent: string): string {
  const browser = BROWSERS.find(([, pattern]) => pattern.test(agent))?.[0];
  const system = SYSTEMS.find(([, pattern]) => pattern.test(agent))?.[0];
  if (browser === undefined) return "";
  return system === undefined ? `, ${browser}` : t(", {browser} on {system}", { browser, system });
}
