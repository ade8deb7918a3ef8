import type { VNode } from "preact";
import { plain } from "../../text/format.ts";
import { airScale, namedChannels, outlineOf } from "./air_layout.ts";
import type { RadioAir } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Height of the networks, and of the names of channels below, in units of the picture. */
const HEIGHT = 70, FOOT = 16;
/** Units between two names of channels. */
const NAME_GAP = 18;

/** The channels of a radio and who is on them: wider is a wider channel, higher a stronger signal. */
export function AirPicture({ air }: { air: RadioAir }): VNode {
  const scale = airScale(air.channels);
  const named = new Set(namedChannels(air.channels, scale, NAME_GAP));
  const weakestLast = air.networks.toSorted((a, b) => b.signal - a.signal);
  const current = air.channels.find(({ channel }) => channel === air.channel);
  const best = air.recommendation?.better === true
    ? air.channels.find(({ channel }) => channel === air.recommendation!.channel)
    : undefined;
  return (
    <figure class="air">
      <svg
        viewBox={`0 0 ${scale.width} ${HEIGHT + FOOT}`}
        role="img"
        aria-label={summary(air)}
        preserveAspectRatio="none"
      >
        {air.to > air.from && (
          <rect
            class="current"
            x={scale.x(air.from)}
            y="0"
            width={scale.x(air.to) - scale.x(air.from)}
            height={HEIGHT}
          />
        )}
        {weakestLast.map((one, at) => (
          <path
            key={`${one.bssid} ${at}`}
            class={one.own ? "own" : "other"}
            d={outlineOf(one, scale, HEIGHT)}
          >
            <title>
              {one.signal === 0
                ? t("{ssid}, channel {channel}", {
                  ssid: plain(one.ssid) || t("Hidden network"),
                  channel: one.channel,
                })
                : t("{ssid}, channel {channel}, {signal} dBm", {
                  ssid: plain(one.ssid) || t("Hidden network"),
                  channel: one.channel,
                  signal: one.signal,
                })}
            </title>
          </path>
        ))}
        <line class="ground" x1="0" x2={scale.width} y1={HEIGHT} y2={HEIGHT} />
        {air.channels.filter(({ dfs }) => dfs !== "none").map((one) => (
          <line
            key={one.channel}
            class={one.dfs === "unavailable" ? "radar closed" : "radar"}
            x1={scale.x(one.frequency) - 7}
            x2={scale.x(one.frequency) + 7}
            y1={HEIGHT + 1.5}
            y2={HEIGHT + 1.5}
          />
        ))}
      </svg>
      <div class="air-names" aria-hidden="true">
        {air.channels.filter((one) => named.has(one) || one === current || one === best)
          .map((one) => (
            <span
              key={one.channel}
              class={one === current ? "current" : one === best ? "best" : undefined}
              style={{ insetInlineStart: `${scale.x(one.frequency) / scale.width * 100}%` }}
            >
              {one.channel}
            </span>
          ))}
      </div>
      <figcaption class="s quiet">
        <Key kind="own" text={t("yours")} /> <Key kind="other" text={t("other networks")} />{" "}
        {air.channels.some(({ dfs }) => dfs !== "none") && (
          <Key kind="radar" text={t("radar channels")} />
        )}{" "}
        {air.channels.some(({ dfs }) => dfs === "unavailable") && (
          <Key kind="radar closed" text={t("radar detected")} />
        )}
      </figcaption>
    </figure>
  );
}

function summary({ radio, networks, channels }: RadioAir): string {
  const others = networks.filter(({ own }) => !own).length;
  const free = channels.filter((one) => one.networks === 0).length;
  const around = others === 1 ? t("1 other network") : t("{others} other networks", { others });
  return t("Channels around {radio}: {around}, {free} of {channels} channels free", {
    radio,
    around,
    free,
    channels: channels.length,
  });
}

/** What a colour of the picture means. */
function Key({ kind, text }: { kind: string; text: string }): VNode {
  return (
    <span class="meaning">
      <span class={`key ${kind}`} /> {text}
    </span>
  );
}
