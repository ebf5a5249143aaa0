/** The pattern of a UUID in lower case. */
export const UUID_PATTERN = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

/** A text that is a UUID, in lower or upper case. */
export const UUID = new RegExp(`^${UUID_PATTERN}$`, "i");
