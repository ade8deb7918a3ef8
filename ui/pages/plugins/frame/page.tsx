import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useRoute } from "preact-iso/router";
import { call } from "../../../api/client.ts";
import { failureText } from "../../../api/problem.ts";
import { Fault } from "../../../parts/form/fault.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { useLoaded } from "../../../parts/load/use_loaded.ts";
import { PageHead, type PageProps } from "../../../parts/show/page_head.tsx";
import { changeEvents } from "../../../state/store.ts";
import { say } from "../../../state/toast.ts";
import { theme } from "../../../state/theme.ts";
import type { Plugin, PluginSession } from "../wire.ts";
import { t } from "../../../text/language.ts";
import "../../../styles/pages/plugins.css";

/** Version of the messages between this page and that of a plugin. */
const PROTOCOL = 1;

/** The page of a plugin, in a frame that has nothing of the router but a token for its own path. */
export default function PluginFramePage({ title }: PageProps): VNode {
  const { params } = useRoute();
  const name = params["name"] ?? "";
  const plugins = useLoaded<readonly Plugin[]>({ path: "/plugins_api" }, [changeEvents.value]);
  const plugin = plugins.body?.find((one) => one.Name === name);
  const isThere = plugin !== undefined && plugin.Enabled && plugin.HasUI && plugin.URI !== "";
  return (
    <>
      <PageHead
        title={title}
        heading={name || title}
        parent={{ href: "/admin/plugins", title: t("Plugins"), here: name }}
      />
      {plugins.body === null
        ? plugins.problem === null
          ? <Loading what={t("the plugin")} rows={3} />
          : <Fault title={t("The plugin could not be loaded.")}>{plugins.problem.message}</Fault>
        : isThere
        ? <Frame key={plugin.URI} plugin={plugin} />
        : (
          <Fault title={t("There is no such page.")}>
            {t("The plugin is turned off, was removed, or has no page.")}
          </Fault>
        )}
    </>
  );
}

function Frame({ plugin }: { plugin: Plugin }): VNode {
  const frame = useRef<HTMLIFrameElement>(null);
  const { URI, SandboxedUI } = plugin;
  const isSandboxed = SandboxedUI !== false;
  useEffect(() => {
    let session: string | null = null;
    const send = (message: Readonly<Record<string, unknown>>): void => {
      // A sandboxed page has an origin that cannot be named; the message goes to its window alone.
      frame.current?.contentWindow?.postMessage(JSON.stringify(message), "*");
    };
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const sendTheme = (): void => {
      const chosen = theme.value === "system" ? (dark.matches ? "dark" : "light") : theme.value;
      // Pages of existing plugins read `colorMode`.
      send({ type: "spr:theme", theme: chosen, colorMode: chosen });
    };
    async function authorize(requestId: unknown): Promise<void> {
      try {
        const { body } = await call<PluginSession>({
          method: "PUT",
          path: "/plugin/ui_session",
          body: {
            pluginURI: URI,
            protocolVersion: PROTOCOL,
            ...(session === null ? {} : { replaceSessionId: session }),
          },
        });
        session = body.sessionId;
        const { token, expiresAt, protocolVersion } = body;
        send({ type: "spr:auth", token, expiresAt, protocolVersion, requestId });
      } catch (error) {
        say({
          text: failureText(
            error,
            (text) => t("The page of the plugin was not signed in. {text}", { text }),
          ),
        });
      }
    }
    const take = ({ source, data }: MessageEvent): void => {
      if (source !== frame.current?.contentWindow || typeof data !== "string") return;
      const message = parsed(data);
      const { type, protocolVersion, requestId } = message ?? {};
      if (type !== "spr:ready" && type !== "spr:auth-required") return;
      sendTheme();
      // Pages of existing plugins are ready without a version, and already have a token.
      if (isSandboxed && protocolVersion === PROTOCOL) void authorize(requestId);
    };
    addEventListener("message", take);
    dark.addEventListener("change", sendTheme);
    const stop = theme.subscribe(sendTheme);
    return () => {
      removeEventListener("message", take);
      dark.removeEventListener("change", sendTheme);
      stop();
      if (session !== null) {
        void call({ method: "DELETE", path: `/plugin/ui_session/${session}`, quiet: true })
          .catch(() => {});
      }
    };
  }, [URI, isSandboxed]);
  return (
    <iframe
      ref={frame}
      class="plugin-frame"
      title={plugin.Name}
      src={`/plugins/${URI}/`}
      sandbox={isSandboxed ? "allow-scripts allow-forms" : undefined}
      referrerpolicy="no-referrer"
    />
  );
}

/** A message of a page; null for what is none. */
function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? value as Readonly<Record<string, unknown>>
      : null;
  } catch {
    return null;
  }
}
