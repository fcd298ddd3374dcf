import type { Group } from '../command.js';
import { create, update } from './revision-commands.js';
import { list, log, models, show } from './show-commands.js';
import { remove, resume, scale, stop } from './state-commands.js';

export const deployments: Group = {
  name: 'deployments',
  summary: 'Makes, shows, changes, stops and deletes deployments.',
  commands: [create, list, show, models, update, scale, stop, resume, remove, log],
};
