export { FollowedProofs } from './followed-proofs.js';
export type { FollowedProofsOptions } from './followed-proofs.js';
export { ProofReader } from './proof-reader.js';
export type { Proven, ProvenKey, ProvenPerson, SessionLiveness } from './proof-reader.js';
export { refusalCounter } from './refusals.js';
export { RpcGate } from './rpc-gate.js';
export { SessionKeyRing } from './session-key-ring.js';
export type { PublishedKey } from './session-key-ring.js';
