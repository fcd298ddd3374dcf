/**
 * Begins a shell command by which a process steps back behind serving: `nice`, and the same for its session, because Linux divides
 * the CPU among sessions first (autogroups) and looks at `nice` within each. So the process must be started in a session of its own.
 * Without the means it runs as it is.
 *
 * At 5 a process that serves gets three times as much of a busy core (weights 1,024 and 335), and training still comes to its end. At
 * 15 it would get 28 times as much: on a machine that is busy all day, reading the head of a model took more than a minute.
 */
export const STEP_BACK = '{ echo 5 > /proc/self/autogroup; } 2>/dev/null';
/** Begins the program that is to run. */
export const NICE = 'nice -n 5';
