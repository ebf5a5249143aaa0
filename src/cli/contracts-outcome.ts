/** The exit codes of every command that verifies something, for its help. */
export const EXIT_CODES = "exit codes: 0 passed, 1 failed, 2 not run";
