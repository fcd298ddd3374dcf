import { chat } from './chat/surface.js';
import { messages } from './messages/surface.js';
import { SurfaceRegistry } from './registry.js';

/** Every public contract that a gateway speaks. A further one is its folder and its name in this list. */
export const SURFACES = new SurfaceRegistry([chat, messages]);
