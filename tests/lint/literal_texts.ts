/** What stands for itself in every language: names of products, of code and of keys. */
const UNTRANSLATED =
  /^(?:Sluice|WireGuard|GHz|MHz|dBm|ms|kB|MB|GB|[A-Z]{2,}[\w./-]*|Cloudflare|Google|OpenDNS.*|Mac OS X|Peter Lowe’s list|Phishing Army)$/;
/** Elements whose text is not language. */
const CODE = new Set(["code", "kbd", "pre", "bdi", "style"]);
/** Attributes and members that people read. */
const READ = new Set([
  ...["alt", "aria-description", "aria-label", "aria-valuetext", "button", "caption", "done"],
  ...["empty", "failed", "heading", "help", "hint", "label", "legend", "message", "note"],
  ...["placeholder", "sentence", "subject", "text", "title", "word"],
]);
/** Files of the pages that nobody is shown, or in one language only. */
const EXEMPT =
  /^ui\/(?:build\/|build\.ts|first_paint\.ts|generated\/|pages\/ui_parts\/|pages\/devices\/import\/columns\.ts$|parts\/show\/(?:more_)?shapes\.tsx$|actions\/\w+_worker\.ts)/;

/** True for a module whose texts the catalogues translate. */
export function isTranslated(path: string): boolean {
  return path.startsWith("ui/") && !EXEMPT.test(path);
}

/** True for a text that is a sentence or begins one, and no key, path or class. */
function isSentence(text: string): boolean {
  return !UNTRANSLATED.test(text) &&
    (/^[“]?\p{Lu}[\p{Ll}’]+,? .*\p{L}/u.test(text) || /^\p{Ll}+ .*\p{Ll}\.$/u.test(text));
}

function isLanguage(text: string): boolean {
  return /\p{L}{2}/u.test(text) && !/^\//.test(text) && !UNTRANSLATED.test(text.trim());
}

function nameOf(node: Deno.lint.Node | null): string {
  if (node?.type === "Identifier" || node?.type === "JSXIdentifier") return node.name;
  return node?.type === "Literal" ? String(node.value) : "";
}

/** Reports texts that people read and no catalogue translates. */
export function literalTexts(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const report = (node: Deno.lint.Node): void =>
    context.report({ node, message: "Texts for people go through t() of ui/text/language.ts" });
  /** What an expression may come to, where it is a literal. */
  const literals = (
    node: Deno.lint.Node | null,
  ): readonly (readonly [Deno.lint.Node, string])[] => {
    switch (node?.type) {
      case "Literal":
        return typeof node.value === "string" ? [[node, node.value]] : [];
      case "TemplateLiteral":
        return [[node, node.quasis.map(({ cooked }) => cooked).join(" ")]];
      case "ConditionalExpression":
        return [...literals(node.consequent), ...literals(node.alternate)];
      case "LogicalExpression":
        return literals(node.right);
      default:
        return [];
    }
  };
  const judge = (node: Deno.lint.Node | null): void => {
    for (const [place, text] of literals(node)) if (isLanguage(text)) report(place);
  };
  return {
    JSXText(node) {
      const { parent } = node;
      const tag = parent.type === "JSXElement" ? nameOf(parent.openingElement.name) : "";
      if (!CODE.has(tag) && isLanguage(node.value)) report(node);
    },
    JSXExpressionContainer(node) {
      const { parent } = node;
      if (parent.type === "JSXElement" || parent.type === "JSXFragment") judge(node.expression);
    },
    JSXAttribute(node) {
      if (!READ.has(nameOf(node.name))) return;
      judge(node.value?.type === "JSXExpressionContainer" ? node.value.expression : node.value);
    },
    Property(node) {
      if (READ.has(nameOf(node.key))) judge(node.value);
    },
    Literal(node) {
      if (typeof node.value !== "string" || !isSentence(node.value)) return;
      const { parent } = node;
      const isCall = parent.type === "CallExpression" &&
        /^(?:t|tc|tn|includes|startsWith|endsWith)$/.test(
          nameOf(
            parent.callee.type === "MemberExpression" ? parent.callee.property : parent.callee,
          ),
        );
      const isRead = parent.type === "Property" && READ.has(nameOf(parent.key)) ||
        parent.type === "JSXAttribute" || parent.type === "JSXExpressionContainer";
      if (!isCall && !isRead && parent.type !== "BinaryExpression") report(node);
    },
  };
}
