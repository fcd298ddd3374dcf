import { chat } from './chat/surface.js';
import { messages } from './messages/surface.js';
import { SurfaceRegistry } from './registry.js';

/** All public contracts. A new one needs a folder and an entry here. */
export const SURFACES = new SurfaceRegistry([chat, messages]);
