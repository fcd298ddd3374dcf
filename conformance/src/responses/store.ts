import type { Part } from '../case.js';
import { expectLike, expectThat } from '../check.js';
import { says } from '../engine-answers.js';
import { lineOf } from '../engine-lines.js';
import { askResponses, outputOf, userSays } from './parts.js';

const LOST = 'the model answers without the earlier turns';

/** What a deployment that keeps answers does with them; D8 of the contract, after its numbered cases. */
export const responseStore: readonly Part[] = [
  {
    number: 51,
    promise: 'store true and absent are answered with store: true, store false with false',
    breaks: 'clients refer to answers that nobody kept',
    needs: ['store'],
    run: async (stage) => {
      const at = stage.other('store');
      for (const [store, kept] of [
        [true, true],
        [undefined, true],
        [false, false],
      ]) {
        expectLike('response', (await askResponses(stage, { store }, { at })).ok, { store: kept });
      }
    },
  },
  {
    number: 52,
    promise: 'previous_response_id brings the earlier turns to the engine, turn after turn',
    breaks: LOST,
    needs: ['store', 'engine'],
    run: async (stage) => {
      const at = stage.other('store');
      stage.engine.play(says('one'));
      let previous = (await askResponses(stage, { input: 'a' }, { at })).ok['id'];
      stage.engine.play(says('two'));
      previous = (await askResponses(stage, { input: 'b', previous_response_id: previous }, { at })).ok['id'];
      const { ok } = await askResponses(stage, { input: 'c', previous_response_id: previous }, { at });
      expectLike('response', ok, { previous_response_id: previous });
      const lines = ['user: a', 'assistant: one', 'user: b', 'assistant: two', 'user: c'];
      expectLike('messages of the engine', stage.engine.last.messages?.map(lineOf), lines);
    },
  },
  {
    number: 53,
    promise: 'a reference to a kept message brings its text to the engine',
    breaks: 'the AI SDK refers to earlier turns by default',
    needs: ['store', 'engine'],
    run: async (stage) => {
      const at = stage.other('store');
      stage.engine.play(says('one'));
      const [message] = outputOf(await askResponses(stage, { input: 'a' }, { at }));
      const input = [userSays('a'), { type: 'item_reference', id: message?.['id'] }, userSays('b')];
      (await askResponses(stage, { input }, { at })).expectStatus(200);
      expectLike('messages of the engine', stage.engine.last.messages?.map(lineOf), ['user: a', 'assistant: one', 'user: b']);
    },
  },
  {
    number: 54,
    promise: 'what was never kept, and what store: false said, is 400 and reaches no engine',
    breaks: LOST,
    needs: ['store'],
    run: async (stage) => {
      const at = stage.other('store');
      const unkept = (await askResponses(stage, { store: false }, { at })).ok['id'];
      const calls = stage.engineCalls;
      for (const previous of [unkept, 'resp_0000000000000000000000']) {
        const answer = (await askResponses(stage, { previous_response_id: previous }, { at })).expectStatus(400);
        expectLike('error', answer.json['error'], { param: 'previous_response_id', code: 'previous_response_not_found' });
      }
      const input = [userSays('a'), { type: 'item_reference', id: 'msg_0000000000000000000000_0' }];
      const answer = (await askResponses(stage, { input }, { at })).expectStatus(400);
      expectLike('error', answer.json['error'], { param: 'input[1].id', code: 'item_not_found' });
      expectThat('no request to the engine', stage.engineCalls === calls, stage.engineCalls);
    },
  },
];
