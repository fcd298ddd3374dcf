import type { Answer } from './answer.js';
import type { Part, Stage } from './case.js';
import { eventually, expectThat } from './check.js';
import { hangs } from './engine-answers.js';
import type { SendOptions } from './target.js';

const REVOKED_MS = 5_000;
const LEFT_MS = 1_000;

/** How a contract is asked for a stream, and shows that it has begun. */
export interface StreamForm {
  readonly ask: (stage: Stage, options: SendOptions) => Promise<Answer>;
  /** Text of the first output. */
  readonly begun: string;
}

/** The engine is left when its client is. */
export const leftWithClient = (number: number, { ask, begun }: StreamForm): Part => ({
  number,
  promise: 'the engine is left within a second after the client has left',
  breaks: 'nobody reads the answer, and the engine goes on with it',
  needs: ['engine'],
  run: async (stage) => {
    stage.engine.play(hangs);
    const before = stage.engine.abandoned;
    await ask(stage, { leaveAfter: begun });
    await eventually('the engine is left', () => stage.engine.abandoned > before, LEFT_MS);
  },
});

/** A stream ends with its key. @param expectBroken checks how, by the code of the error */
export const endsWithKey = (
  number: number,
  { ask, begun }: StreamForm,
  { code, expectBroken }: { readonly code: string; readonly expectBroken: (answer: Answer, code: string) => void },
): Part => ({
  number,
  promise: `a key that is revoked in mid-stream ends it within 5 s with ${code}`,
  breaks: 'whoever has a stolen key reads on to the end',
  needs: ['engine', 'revoke'],
  run: async (stage) => {
    const { value, revoke } = stage.spareKey();
    let revoked: Promise<number> = Promise.resolve(Number.NaN);
    const call = (): void => {
      revoked = revoke().then(() => performance.now());
      // It is awaited once the stream has ended.
      revoked.catch(() => undefined);
    };
    stage.engine.play(hangs);
    expectBroken(await ask(stage, { key: value, onText: { text: begun, call } }), code);
    const lasted = performance.now() - (await revoked);
    expectThat(`an end within ${REVOKED_MS} ms`, lasted <= REVOKED_MS, lasted);
  },
});
