import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type Act, previewForm } from "../../act.ts";
import { checkBody, fieldMessage, formMessage, without } from "../../form_check.ts";
import { formBodies } from "../../generated/form_rules.ts";
import { SelectField } from "../../parts/choice_field.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Fault } from "../../parts/fault.tsx";
import { Field, focusFirstProblem } from "../../parts/field.tsx";
import { ApiProblem, wordsOf } from "../../problem.ts";
import { listWords } from "../rules/places.ts";
import type { Subnets } from "./wire.ts";
import { lastsChoices, lastsWords, netsOf, proposalOf, routerAddress } from "./words.ts";

/** Seconds within which other networks must be kept. */
const TRIAL = 90;

/** The networks that addresses are leased from, and for how long; previewed, on trial first. */
export function Renumber(
  { now, onClose, onDone }: { now: Subnets; onClose: () => void; onDone: () => void },
): VNode {
  const nets = useSignal(now.TinyNets.join(", "));
  const lasts = useSignal(now.LeaseTime);
  const problem = useSignal<ApiProblem | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const proposal = proposalOf(problem.value);

  async function submit(event?: Event): Promise<void> {
    event?.preventDefault();
    problem.value = null;
    const body: Subnets = { TinyNets: netsOf(nets.value), LeaseTime: lasts.value };
    try {
      const errors = checkBody(formBodies.SubnetConfig, { ...body });
      if (errors.length > 0) throw new ApiProblem(400, "", { errors });
      await previewForm(renumber(now, body, () => {
        onClose();
        onDone();
      }));
    } catch (error) {
      problem.value = error instanceof ApiProblem ? error : new ApiProblem(0, wordsOf(error));
      focusFirstProblem(form.current);
    }
  }

  const other = formMessage(problem.value, ["TinyNets", "LeaseTime"]);
  return (
    <Dialog
      kind="drawer"
      title="Networks for devices"
      note="A change runs as a trial"
      onClose={onClose}
    >
      <form
        class="body form"
        id="renumber-form"
        ref={form}
        noValidate
        onSubmit={(event) => void submit(event)}
      >
        {other && <Fault title="Nothing was changed.">{other}</Fault>}
        <Field
          label="Networks"
          help="One or more with a prefix from /8 to /24, such as 192.168.2.0/24. The router’s own address is the first of the first"
          problem={fieldMessage(problem.value, "TinyNets")}
          autocomplete="off"
          value={nets.value}
          onValue={(value) => {
            nets.value = value;
            problem.value = without(problem.value, "TinyNets");
          }}
        />
        {proposal !== null && (
          <div class="row">
            <button
              class="btn"
              type="button"
              onClick={() => {
                const list = netsOf(nets.value);
                nets.value = list.map((net, index) => index === proposal.index ? proposal.net : net)
                  .join(", ");
                void submit();
              }}
            >
              Use {proposal.net}
            </button>
          </div>
        )}
        <SelectField
          label="An address is leased for"
          help="A device asks again after half of it"
          problem={fieldMessage(problem.value, "LeaseTime")}
          value={lasts.value}
          options={lastsChoices(now.LeaseTime)}
          onValue={(value) => lasts.value = value}
        />
      </form>
      <footer>
        <div class="row">
          <button class="btn primary grow" type="submit" form="renumber-form">
            Preview this change
          </button>
          <button class="btn" type="button" onClick={onClose}>Back</button>
        </div>
      </footer>
    </Dialog>
  );
}

function renumber(now: Subnets, next: Subnets, after: () => void): Act {
  const moved = now.TinyNets.join() !== next.TinyNets.join();
  const nets = listWords(next.TinyNets);
  const own = routerAddress(next.TinyNets);
  return {
    title: "Preview: networks for devices",
    subject: moved ? "Devices" : "Addresses",
    sentence: moved
      ? `get their address from ${nets}.`
      : `are leased for ${lastsWords(next.LeaseTime)}.`,
    ...(moved
      ? {
        also: [
          ...(own === routerAddress(now.TinyNets) ? [] : [
            `This router is then at ${own}, and at its old address while devices are still there.`,
          ]),
          "A device keeps the address that it has until it asks again. A VPN peer never asks.",
          "Rules and endpoints that name old addresses stay as they are.",
        ],
        trial: TRIAL,
      }
      : {}),
    button: "Apply for good",
    done: moved ? `get their address from ${nets}.` : "are leased for another time.",
    request: () => ({ method: "PUT", path: "/subnetConfig", body: next }),
    after,
  };
}
