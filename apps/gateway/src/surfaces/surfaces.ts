import { chatRegistration } from './chat-completions/chat.registration.js';
import { messagesRegistration } from './messages/messages.registration.js';
import { SurfaceRegistry } from './surface-registry.js';

/** Every public contract that a gateway speaks: the one place outside of its folder that a further one is added to. */
export const SURFACES = new SurfaceRegistry([chatRegistration, messagesRegistration]);
