import type { CanonicalExample, CanonicalMessage } from './example.js';
import type { IssueLog } from './issue-log.js';
import { FOUND } from './json/scan.js';
import { shown } from './rules.js';
import { controlTokenFinder, firstInTexts, hasLoneSurrogate, invisibleIn, mayHoldSecret, secretIn } from './text-checks.js';

/** Looks at the texts of examples for what should not be learned, whatever format they came in. */
export class TextRules {
  private readonly controlToken: ReturnType<typeof controlTokenFinder>;

  constructor(
    private readonly log: IssueLog,
    controlTokens: readonly string[],
  ) {
    this.controlToken = controlTokenFinder(controlTokens);
  }

  /** Checks an example; `found` is what a scan of its line found. */
  check(example: CanonicalExample, found: number): void {
    const plain = (found & (FOUND.hidden | FOUND.nonAscii)) === 0;
    if (found & (FOUND.hidden | FOUND.secret)) this.first(example, 'secret_like', (text) => (mayHoldSecret(text) ? secretIn(text) : null));
    const controlToken = this.controlToken;
    if (controlToken) this.first(example, 'control_token', (text) => controlToken(text)?.replace(/^.*$/s, shown) ?? null);
    if (plain) return;
    this.first(example, 'lone_surrogate', (text) => (hasLoneSurrogate(text) ? '' : null));
    this.first(example, 'control_char', invisibleIn);
  }

  private first(
    example: CanonicalExample,
    rule: 'secret_like' | 'control_token' | 'lone_surrogate' | 'control_char',
    look: (text: string) => string | number | null,
  ): void {
    const found = firstInExample(example, look);
    if (!found) return;
    if (rule === 'lone_surrogate') this.log.report(rule, found.path);
    else if (rule === 'control_char') this.log.report(rule, found.path, Number(found.what));
    else this.log.report(rule, found.path, String(found.what));
  }
}

interface Found {
  readonly what: string | number;
  readonly path: string;
}

function firstInJson(json: string, look: (text: string) => string | number | null): string | number | null {
  // Without escapes the text of the JSON holds each of its texts as it is.
  return json.includes('\\') ? firstInTexts(JSON.parse(json), look) : look(json);
}

function firstInMessages(
  messages: readonly CanonicalMessage[],
  name: string,
  look: (text: string) => string | number | null,
): Found | null {
  for (let i = 0; i < messages.length; i += 1) {
    const { content, reasoning, name: author, callId, calls } = messages[i] as CanonicalMessage;
    const inText = look(content);
    if (inText !== null) return { what: inText, path: `${name}[${i}].content` };
    for (const text of [reasoning, author, callId]) {
      const what = text === null ? null : look(text);
      if (what !== null) return { what, path: `${name}[${i}]` };
    }
    for (const [j, call] of calls.entries()) {
      const what = look(call.name) ?? (call.id === null ? null : look(call.id)) ?? firstInJson(call.arguments, look);
      if (what !== null) return { what, path: `${name}[${i}].tool_calls[${j}].function` };
    }
  }
  return null;
}

function firstInExample(example: CanonicalExample, look: (text: string) => string | number | null): Found | null {
  const lists =
    example.kind === 'sft'
      ? ([['messages', example.messages]] as const)
      : ([
          ['prompt', example.prompt],
          ['chosen', example.chosen],
          ['rejected', example.rejected],
        ] as const);
  for (const [name, messages] of lists) {
    const found = firstInMessages(messages, name, look);
    if (found) return found;
  }
  for (const [i, tool] of example.tools.entries()) {
    const what = firstInJson(tool, look);
    if (what !== null) return { what, path: `tools[${i}]` };
  }
  return null;
}
