/** Injects the name of this life of the worker (`Incarnation`). */
export const TRAINER_ID = Symbol('TRAINER_ID');
