/**
 * Begins a shell command by which a process steps back behind serving: `nice`, and the same for its session, because Linux divides
 * the CPU among sessions first (autogroups) and looks at `nice` within each. So the process must be started in a session of its own.
 * Without the means it runs as it is.
 */
export const STEP_BACK = '{ echo 15 > /proc/self/autogroup; } 2>/dev/null';
/** Begins the program that is to run. */
export const NICE = 'nice -n 15';
