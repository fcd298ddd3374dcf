import type { Json } from './answer.js';

/** A message of the engine as `role: (thoughts) text<image>`. */
export function lineOf(message: Json): string {
  const { role, content, reasoning, reasoning_content: thoughts = reasoning } = message;
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as { type: string; text?: string }[]);
  const said = parts.map(({ type, text: words = '' }) => (type === 'text' ? words : '<image>')).join('');
  return `${String(role)}: ${typeof thoughts === 'string' && thoughts !== '' ? `(${thoughts}) ` : ''}${said}`;
}
