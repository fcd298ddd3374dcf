// A worker whose trainer hangs: prints the process id of the trainer, and waits to be killed.
// node start-trainer.mjs SCRIPT FOLDER
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProgramProcess } from '../../apps/training-worker/dist/trainers/program-process.js';

const [script, folder] = process.argv.slice(2);
writeFileSync(join(folder, 'spec.json'), JSON.stringify({ epochs: 2, checkpoint_steps: 4 }));
const command = { program: process.execPath, args: [script, '--scene', 'hang'], folder };
const trainer = new ProgramProcess(command, {
  event: (event) => event.ev === 'step' && event.step === 4 && console.log(trainer.pid),
  log: () => undefined,
});
