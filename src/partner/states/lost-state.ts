/** The cause of a state that ends with the process of its system, and the advice. */
export const IN_MEMORY = {
  cause: "The state of your system was only in the memory of its process, and is gone with it.",
  fix: "Store orders and events in a database or a file.",
} as const;
