import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { call } from "../../api/client.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { LanguageChoice } from "../../parts/form/language_choice.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { textOf } from "../../api/problem.ts";
import { fetchStage, stage } from "../../state/session.ts";
import { type LinkRow, linkRows } from "../network/interface_rows.ts";
import type { KernelLink, Link } from "../network/wire.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { AdminStep } from "./admin_step.tsx";
import { FirstDevice } from "./first_device.tsx";
import { selectable, type Step, stepOf, STEPS } from "./guide.ts";
import { LanStep } from "./lan_step.tsx";
import { WanStep } from "./wan_step.tsx";
import { t } from "../../text/language.ts";
import "../../styles/pages/sign_in.css";

const TITLES: Readonly<Record<Step, string>> = {
  admin: t("Set up your router"),
  uplink: t("WAN port"),
  home: t("LAN ports"),
  device: t("First device"),
};

/** Milliseconds between two loads of the interfaces, which send no events before sign-in. */
const POLL_INTERVAL_MS = 3000;

/** What is known before a step is shown. */
interface Known {
  readonly step: Step;
  /** True until setup was ended. */
  readonly open: boolean;
  readonly codeFile?: string | undefined;
  readonly rows: readonly LinkRow[];
}

/** The setup guide: admin, WAN port, LAN ports, first device. */
export default function SetupPage(): VNode {
  const known = useSignal<Known | null>(null);
  const problem = useSignal<string | null>(null);
  const inside = stage.value === "in";

  const turn = useRef(0);
  /** Looks that are not answered yet. */
  const open = useRef(0);

  async function look(wanted?: Step): Promise<void> {
    const mine = ++turn.current;
    open.current++;
    try {
      const fresh = await learn(inside, wanted);
      if (mine !== turn.current) return;
      known.value = fresh;
      problem.value = null;
    } catch (error) {
      if (mine === turn.current) problem.value = textOf(error);
    } finally {
      open.current--;
    }
  }
  const beat = usePulse(POLL_INTERVAL_MS);
  useEffect(() => {
    // On a busy router it must not take the place of a step that a person went on to.
    if (open.current > 0) return;
    const step = known.peek()?.step;
    if (step === undefined || step === "uplink" || step === "home") void look(step);
  }, [beat]);

  const now = known.value;
  const body = now === null
    ? problem.value === null
      ? <Loading what={t("the guide")} rows={4} />
      : (
        <Fault title={t("The guide could not be loaded.")}>
          {problem.value}{" "}
          <button class="btn small" type="button" onClick={() => void look()}>
            {t("Try again")}
          </button>
        </Fault>
      )
    : <Now known={now} onStep={(step) => void look(step)} />;
  return inside ? <div class="guide">{body}</div> : (
    <div class="sign-in-page">
      <main id="main" tabIndex={-1}>
        <p class="brand">
          <Icon name="logo" />
          {t("Sluice")}
        </p>
        {body}
        <LanguageChoice />
      </main>
    </div>
  );
}

function Now({ known, onStep }: { known: Known; onStep: (step?: Step) => void }): VNode {
  const { step, rows, open, codeFile } = known;
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = t("{titles} · Sluice", { titles: TITLES[step] });
    title.current?.focus();
  }, [step]);
  return (
    <>
      <div class="head">
        <div>
          <h1 ref={title} tabIndex={-1}>{TITLES[step]}</h1>
          <p>
            {t("Step {index} of {steps}", { index: STEPS.indexOf(step) + 1, steps: STEPS.length })}
          </p>
        </div>
      </div>
      {step === "admin" && <AdminStep codeFile={codeFile} onDone={() => onStep("uplink")} />}
      {step === "uplink" && <WanStep rows={rows} onDone={() => onStep("home")} />}
      {step === "home" && (
        <LanStep
          rows={rows}
          open={open}
          onBack={() => onStep("uplink")}
          onDone={() => onStep("device")}
        />
      )}
      {step === "device" && <FirstDevice rows={rows} onBack={() => onStep("home")} />}
    </>
  );
}

/** Asks what a step stands on; before the sign-in only whether setup is open can be read. */
async function learn(signedIn: boolean, wanted?: Step): Promise<Known> {
  const { open, passwordSet, codeFile } = await fetchStage()
    .catch(() => ({ open: false, passwordSet: true, codeFile: undefined }));
  if (!signedIn) return { step: "admin", open, codeFile, rows: [] };
  const [links, kernel] = await Promise.all([
    call<readonly Link[]>({ path: "/interfacesConfiguration" }),
    call<readonly KernelLink[]>({ path: "/ip/addr" }).catch(() => ({ body: [] })),
  ]);
  const step = wanted ?? stepOf({ passwordSet, links: links.body });
  return { step, open, codeFile, rows: selectable(linkRows(links.body, kernel.body)) };
}
