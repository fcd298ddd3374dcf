import { jsonAnswer } from '@slipway/testing';
import type { Answer } from '../answer.js';
import type { Part, Stage } from '../case.js';
import { eventually, expectLike, expectThat, Mismatch, WHOLE } from '../check.js';
import { openaiFor } from '../clients.js';
import { CONTEXT, diesAtOnce } from '../engine-answers.js';
import { embeddingsAnswer, TEXT_TOKENS } from '../engine-vectors.js';

interface Vector {
  readonly index: number;
  readonly embedding: number[] | string;
}

const WRONG_VECTORS = 'searches find the wrong documents, and no error is ever seen';
const GARBAGE = 'openai and LangChain ask for base64 unless told otherwise, and read floats as garbage';
const TOKEN_WORDS = /check_embedding_ctx_length=False/;
const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `text ${i}`);

const embed = (stage: Stage, body: object, name: 'embeddings' | 'matryoshka' = 'embeddings', leaves?: AbortSignal): Promise<Answer> => {
  const at = leaves ? stage.other(name).until(leaves) : stage.other(name);
  return at.send('/v1/embeddings', { model: at.model, ...body });
};
const vectorsOf = (answer: Answer): readonly Vector[] => answer.ok['data'] as Vector[];
/** @throws Mismatch when there is no such vector */
function floatsOf(vector: Vector | undefined): readonly number[] {
  if (!vector) throw new Mismatch('a vector', 'none');
  const { embedding } = vector;
  return typeof embedding === 'string' ? [...new Float32Array(new Uint8Array(Buffer.from(embedding, 'base64')).buffer)] : embedding;
}

function expectSame(what: string, came: readonly number[], wanted: readonly number[]): void {
  const same = came.length === wanted.length && came.every((number, i) => Math.abs(number - (wanted[i] ?? Number.NaN)) < 1e-3);
  expectThat(`${what}: the vector ${String(wanted.slice(0, 4))}…`, same, came.slice(0, 4));
}

function expectRefused(answer: Answer, error: { param: string; code?: string; message?: RegExp }): void {
  expectLike('error', answer.expectStatus(400).json['error'], { type: 'invalid_request_error', ...error });
}

function expectUnit(vector: readonly number[]): void {
  const length = Math.hypot(...vector);
  expectThat('a vector of length 1', Math.abs(length - 1) < 1e-3, length);
}

const vectors: readonly Omit<Part, 'needs'>[] = [
  {
    number: 1,
    promise: 'a text gives one vector of length 1',
    breaks: 'distances of vectors that are not of length 1 mean nothing',
    run: async (stage) => {
      const answer = await embed(stage, { input: 'a text' });
      const [vector] = vectorsOf(answer);
      expectLike('answer', answer.ok, {
        object: 'list',
        data: [{ object: 'embedding', index: 0 }],
        usage: { prompt_tokens: WHOLE, total_tokens: WHOLE },
      });
      expectUnit(floatsOf(vector));
    },
  },
  {
    number: 2,
    promise: 'three texts give three vectors in order, each as if it had been alone',
    breaks: WRONG_VECTORS,
    run: async (stage) => {
      const texts = ['one', 'two', 'three'];
      const all = vectorsOf(await embed(stage, { input: texts }));
      expectLike(
        'indexes',
        all.map(({ index }) => index),
        [0, 1, 2],
      );
      for (const [i, input] of texts.entries()) {
        const [alone] = vectorsOf(await embed(stage, { input }));
        expectSame(`vector ${i}`, floatsOf(all[i]), floatsOf(alone));
      }
    },
  },
  {
    number: 3,
    promise: 'base64 holds the same floats, four bytes each',
    breaks: GARBAGE,
    run: async (stage) => {
      const [plain] = vectorsOf(await embed(stage, { input: 'a text' }));
      const [coded] = vectorsOf(await embed(stage, { input: 'a text', encoding_format: 'base64' }));
      expectThat('a text of base64', typeof coded?.embedding === 'string', coded?.embedding);
      expectSame('base64', floatsOf(coded), floatsOf(plain));
    },
  },
  {
    number: 4,
    promise: 'encoding_format null and absent are float, "int8" is 400',
    breaks: GARBAGE,
    run: async (stage) => {
      for (const format of [{}, { encoding_format: null }]) {
        expectThat('floats', Array.isArray(vectorsOf(await embed(stage, { input: 'x', ...format }))[0]?.embedding), 'text');
      }
      expectRefused(await embed(stage, { input: 'x', encoding_format: 'int8' }), { param: 'encoding_format' });
    },
  },
  {
    number: 5,
    promise: 'token ids are 400, with the setting of LangChain that sends text',
    breaks: WRONG_VECTORS,
    run: async (stage) => {
      for (const input of [
        [1, 2],
        [[1, 2], [3]],
      ])
        expectRefused(await embed(stage, { input }), { param: 'input', message: TOKEN_WORDS });
    },
  },
  {
    number: 6,
    promise: 'an empty text, no text and 2,049 texts are 400, with the index',
    breaks: 'an index is filled with vectors of nothing',
    run: async (stage) => {
      for (const [input, param] of [
        ['', 'input'],
        [['a', ''], 'input[1]'],
        [[], 'input'],
        [numbered(2_049), 'input'],
      ] as const)
        expectRefused(await embed(stage, { input }), { param });
    },
  },
  {
    number: 7,
    promise: 'a text over the context is 400 context_length_exceeded [input[1]]',
    breaks: 'the text is cut: its end is never found',
    run: async (stage) => {
      const input = ['a', 'word '.repeat(stage.engineCalls === null ? 1_500_000 : 64 * CONTEXT)];
      expectRefused(await embed(stage, { input }), { param: 'input[1]', code: 'context_length_exceeded' });
    },
  },
  {
    number: 8,
    promise: 'dimensions 0, too many, and fewer on a plain model are 400',
    breaks: WRONG_VECTORS,
    run: async (stage) => {
      for (const dimensions of [0, 1_000_000, 8]) expectRefused(await embed(stage, { input: 'x', dimensions }), { param: 'dimensions' });
    },
  },
];

const others: readonly Part[] = [
  {
    number: 8,
    promise: 'a Matryoshka model gives 64 numbers of length 1',
    breaks: WRONG_VECTORS,
    needs: ['matryoshka'],
    run: async (stage) => {
      const [short] = vectorsOf(await embed(stage, { input: 'x', dimensions: 64 }, 'matryoshka'));
      const [full] = vectorsOf(await embed(stage, { input: 'x' }, 'matryoshka'));
      const first = floatsOf(full).slice(0, 64);
      expectUnit(floatsOf(short));
      expectSame(
        'the first 64 numbers',
        floatsOf(short),
        first.map((number) => number / Math.hypot(...first)),
      );
    },
  },
  {
    number: 9,
    promise: 'a chat to an embedding model and embeddings of a chat model are 400 and name the endpoint',
    breaks: 'who has two deployments and confuses them gets an error of the engine',
    needs: ['embeddings'],
    run: async (stage) => {
      const at = stage.other('embeddings');
      const chat = await at.send('/v1/chat/completions', { model: at.model, messages: [{ role: 'user', content: 'x' }] });
      expectLike('error', chat.expectStatus(400).json['error'], { message: /\/v1\/embeddings/ });
      const back = await stage.target.send('/v1/embeddings', { model: stage.target.model, input: 'x' });
      expectLike('error', back.expectStatus(400).json['error'], { message: /\/v1\/chat\/completions/ });
    },
  },
  {
    number: 10,
    promise: '2,048 texts come back in order, and the usage counts them all',
    breaks: WRONG_VECTORS,
    needs: ['embeddings', 'engine'],
    run: async (stage) => {
      const answer = await embed(stage, { input: numbered(2_048), encoding_format: 'base64' });
      const all = vectorsOf(answer);
      expectLike('vectors', all.length, 2_048);
      for (const at of [0, 63, 64, 1_000, 2_047]) {
        const [alone] = vectorsOf(await embed(stage, { input: `text ${at}` }));
        expectSame(`vector ${at}`, floatsOf(all[at]), floatsOf(alone));
      }
      expectLike('usage', answer.ok['usage'], { prompt_tokens: TEXT_TOKENS * 2_048 });
    },
  },
  {
    number: 10,
    promise: 'an engine that fails for one part gives all vectors by a repeat, or 502, never a gap',
    breaks: WRONG_VECTORS,
    needs: ['embeddings', 'engine'],
    run: async (stage) => {
      for (const failing of [diesAtOnce, jsonAnswer(500, { error: { message: 'It broke.' } })]) {
        let asked = 0;
        stage.engine.playVectors((request) => ((asked += 1) === 2 ? failing : embeddingsAnswer(request)));
        const answer = (await embed(stage, { input: numbered(256) })).expectStatus(200, 502, 503);
        if (answer.status === 200) expectLike('vectors', vectorsOf(answer).length, 256);
      }
    },
  },
  {
    number: 11,
    promise: 'the openai SDK gets the same vectors with its defaults and with float',
    breaks: GARBAGE,
    needs: ['embeddings'],
    run: async (stage) => {
      const at = stage.other('embeddings');
      const asked = { model: at.model, input: ['one', 'two'] };
      const usual = await openaiFor(at).embeddings.create(asked);
      const floats = await openaiFor(at).embeddings.create({ ...asked, encoding_format: 'float' });
      for (const [i, { embedding }] of usual.data.entries()) expectSame(`vector ${i}`, embedding, floats.data[i]?.embedding ?? []);
    },
  },
  {
    number: 12,
    promise: 'the engine is left within a second after a client of 2,048 texts has left',
    breaks: 'nobody reads the vectors, and the engine goes on with them',
    needs: ['embeddings', 'engine'],
    run: async (stage) => {
      const { engine } = stage;
      engine.playVectors(() => ({ steps: [{ hang: true }] }));
      const leaves = new AbortController();
      const before = engine.live;
      const answer = embed(stage, { input: numbered(2_048) }, 'embeddings', leaves.signal).catch(() => undefined);
      await eventually('the engine works', () => engine.live > before, 10_000);
      leaves.abort();
      await answer;
      await eventually('the engine is left', () => engine.live <= before, 1_000);
    },
  },
];

/** The acceptance cases of the embeddings contract, in parts. */
export const embeddingsCases: readonly Part[] = [...vectors.map((part): Part => ({ ...part, needs: ['embeddings'] })), ...others];
