import type { Answer } from '../command.js';

/** A key with its value, which no later answer contains. */
export interface ShownKey {
  readonly id: number;
  readonly value: string;
  readonly hint: string;
}

const ONCE = 'Shown this once: it cannot be shown again.';

/** Shows a key: the value on a line of its own, so that it is copied easily. */
export const shown = <K extends ShownKey>(title: string, key: K, remark?: string): Answer => ({
  json: key,
  text: `${title}\n\n  ${key.value}\n`,
  note: remark === undefined ? ONCE : `${ONCE} ${remark}`,
});
