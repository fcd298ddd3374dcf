// node validate-generated.mjs long-line|lines|broken-line|bomb N: validates a file that is made while it is read, and prints the result,
// the peak of memory and the CPU time of the validation. In a process of its own, so that the peak is that of the validation.
import { createGzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { validateDataset } from '@slipway/datasets';

const [kind, size] = [process.argv[2], Number(process.argv[3])];
const CHUNK_BYTES = 64 * 1024;
const SYSTEM = '{"role":"system","content":"You are a helpful assistant."}';
const TAIL = 'and they walk by the river until the evening comes';
let generating = 0;

const line = (i) =>
  `{"messages":[${SYSTEM},{"role":"user","content":"What is number ${i} of the list?"},{"role":"assistant","content":"It is ${i}, ${TAIL}."}]}\n`;

function* lines(count, broken = -1) {
  let text = '';
  let began = process.cpuUsage();
  for (let i = 1; i <= count; i += 1) {
    text += i === broken ? '{"messages": [{"role": "user", "content": "cut\n' : line(i);
    if (text.length < CHUNK_BYTES && i < count) continue;
    const chunk = Buffer.from(text);
    text = '';
    const { user, system } = process.cpuUsage(began);
    generating += user + system;
    yield chunk;
    began = process.cpuUsage();
  }
}

function* longLine(bytes) {
  const chunk = Buffer.alloc(CHUNK_BYTES, 'x');
  for (let sent = 0; sent < bytes; sent += CHUNK_BYTES) yield chunk;
  yield Buffer.from('\n');
  yield* lines(1_000);
}

async function* sourceOf() {
  if (kind === 'long-line') yield* longLine(size);
  else if (kind === 'bomb') yield* Readable.from(longLine(size)).pipe(createGzip());
  else yield* lines(size, kind === 'broken-line' ? size - 1 : -1);
}

const began = process.cpuUsage();
const limits = { fileBytes: 4 * 1024 ** 3, examples: 10_000_000 };
const options = { limits, repairs: ['leave_out_rejected'], controlTokens: ['<|im_start|>', '<|im_end|>'] };
let canonical = 0;
const result = await validateDataset(sourceOf(), options, { batch: ({ bytes }) => void (canonical += bytes.length) });
const { user, system } = process.cpuUsage(began);
const { state, reason, examples, rejected, issues, canonicalBytes } = result;
console.log(
  JSON.stringify({
    ...{
      state,
      reason,
      examples,
      rejected,
      canonical: canonical === canonicalBytes,
      issues: issues.slice(0, 3).map(({ message }) => message),
    },
    peakMb: Math.round(process.resourceUsage().maxRSS / 1024),
    cpuSeconds: (user + system - generating) / 1e6,
  }),
);
