// The embedded trainer. Bare runs it in the folder of one run: it reads spec.json, writes one JSON object per line to file
// descriptor 3, and takes the lines `pause` and `cancel` on standard input. It ends when that input ends.
/* oxlint-disable typescript/no-require-imports, typescript/use-unknown-in-catch-callback-variable -- Bare loads addons from CommonJS, and runs no TypeScript */
const Llm = require('@qvac/llm-llamacpp');
const fs = require('bare-fs');
const path = require('bare-path');
const process = require('bare-process');

const EVENTS = 3;
const CHECKPOINTS = 'checkpoints';
const CHECKPOINT_FILES = ['model.gguf', 'optimizer.gguf', 'metadata.txt'];

const spec = JSON.parse(fs.readFileSync('spec.json', 'utf8'));
const send = (event) => fs.writeSync(EVENTS, `${JSON.stringify(event)}\n`);

/** Announces each checkpoint once, when its files are complete. */
class Checkpoints {
  constructor() {
    this.known = new Set();
  }

  announce() {
    const names = fs.existsSync(CHECKPOINTS) ? fs.readdirSync(CHECKPOINTS).sort() : [];
    for (const name of names.filter((each) => !this.known.has(each))) {
      const step = Number(/^(?:pause_)?checkpoint_step_(\d+)$/.exec(name)?.[1]);
      const folder = path.join(CHECKPOINTS, name);
      if (!Number.isInteger(step) || !CHECKPOINT_FILES.every((file) => fs.existsSync(path.join(folder, file)))) continue;
      this.known.add(name);
      send({ ev: 'checkpoint', step, path: folder, adapter: path.join(folder, 'model.gguf') });
    }
  }

  /** The library continues only from the name that it gives a checkpoint at a pause. */
  placeResumed({ step, path: from }) {
    const name = `pause_checkpoint_step_${String(step).padStart(8, '0')}`;
    fs.mkdirSync(path.join(CHECKPOINTS, name), { recursive: true });
    for (const file of CHECKPOINT_FILES) fs.copyFileSync(path.join(from, file), path.join(CHECKPOINTS, name, file));
    this.known.add(name);
  }
}

/** The library reports the mean over the epoch, or over what of it came after a resumption; this gives the loss of each step. */
class StepLoss {
  constructor() {
    this.epoch = -1;
    this.sum = 0;
    this.count = 0;
  }

  next(mean, epoch) {
    if (epoch !== this.epoch) this.sum = this.count = 0;
    this.epoch = epoch;
    this.count += 1;
    const loss = mean * this.count - this.sum;
    this.sum = mean * this.count;
    return loss;
  }
}

const tuning = () => ({
  trainDatasetDir: 'train.jsonl',
  validation: spec.held ? { type: 'dataset', path: 'held.jsonl' } : { type: 'none' },
  outputParametersDir: 'out',
  chatTemplatePath: path.resolve('template.jinja'),
  assistantLossOnly: true,
  numberOfEpochs: spec.epochs,
  learningRate: spec.rate,
  lrMin: spec.least_rate,
  lrScheduler: spec.schedule,
  loraModules: spec.modules.join(','),
  loraRank: spec.rank,
  loraAlpha: spec.alpha,
  loraSeed: spec.seed,
  contextLength: spec.tokens,
  batchSize: spec.tokens,
  microBatchSize: spec.tokens,
  checkpointSaveDir: CHECKPOINTS,
  checkpointSaveSteps: spec.checkpoint_steps,
});

/** Calls `take` with each line of standard input, and ends the process at its end. */
function readCommands(take) {
  let rest = '';
  process.stdin.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop().slice(0, 100);
    for (const line of lines) take(line.trim());
  });
  for (const event of ['end', 'error']) process.stdin.on(event, () => Bare.exit(1));
}

function report(stats, checkpoints, losses) {
  const { is_train: trains, global_steps: step, current_epoch: epoch, current_batch: batch, total_batches: batches } = stats;
  checkpoints?.announce();
  if (trains) send({ ev: 'step', step, epoch: epoch + batch / batches, loss: losses.next(stats.loss, epoch) });
  else if (batch === batches) send({ ev: 'eval', step, loss: stats.loss, accuracy: stats.accuracy });
}

async function train() {
  const model = new Llm({
    files: { model: [spec.base] },
    config: { device: 'cpu', gpu_layers: '0', ctx_size: String(Math.max(512, spec.tokens)), threads: '1', backendsDir: spec.backends },
    logger: null,
    opts: { stats: true },
  });
  await model.load();
  const checkpoints = new Checkpoints();
  if (spec.resume) checkpoints.placeResumed(spec.resume);
  const run = await model.finetune(tuning());
  const losses = new StepLoss();
  let asked = null;
  run.on('stats', (stats) => report(stats, asked === 'cancel' ? null : checkpoints, losses));
  readCommands((line) => {
    if (asked !== null || (line !== 'pause' && line !== 'cancel')) return;
    asked = line;
    void (line === 'pause' ? model.pause() : model.cancel());
  });
  send({ ev: 'ready' });
  const { status } = await run.await();
  // What the library writes at a cancel it removes again.
  if (asked !== 'cancel') checkpoints.announce();
  // A run that was paused or cancelled ends with another status, and saves nothing.
  if (status === 'COMPLETED') send({ ev: 'saved', path: 'out/trained-lora-adapter.gguf' });
  await model.unload();
}

train().then(
  () => Bare.exit(0),
  (error) => {
    send({ ev: 'failed', code: 'trainer_failed', message: String(error.message).slice(0, 500) });
    Bare.exit(1);
  },
);
